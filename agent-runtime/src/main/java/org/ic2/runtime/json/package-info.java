// SPDX-License-Identifier: Apache-2.0
/** JSON as trees, read and written without Jackson's mapper, whose classes would take megabytes of a running agent. */
package org.ic2.runtime.json;
