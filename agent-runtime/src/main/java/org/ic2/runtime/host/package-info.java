// SPDX-License-Identifier: Apache-2.0
/** Machines: files, commands, sockets and HTTP on this one, or on another through the user's own ssh. */
package org.ic2.runtime.host;
