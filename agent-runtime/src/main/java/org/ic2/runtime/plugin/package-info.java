// SPDX-License-Identifier: Apache-2.0
/** Finding on the class path what other people's jars add to an agent. */
package org.ic2.runtime.plugin;
