// SPDX-License-Identifier: Apache-2.0
/**
 * A small blocking HTTP/1.1 client for emulated users: one kept-alive connection per user, as strict as a measuring
 * instrument has to be, without threads or buffers of its own beyond the connection's.
 */
package org.ic2.load.http;
