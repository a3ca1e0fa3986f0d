// SPDX-License-Identifier: Apache-2.0
/** A process that runs until it is told to end: its turns, its signals, and what the service manager is told of it. */
package org.ic2.runtime.daemon;
