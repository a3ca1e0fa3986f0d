// SPDX-License-Identifier: Apache-2.0
/**
 * One turn after the other: measure, ask the controllers whose time has come, move what they propose, write down.
 */
package org.ic2.host.loop;
