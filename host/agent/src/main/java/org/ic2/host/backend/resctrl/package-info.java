// SPDX-License-Identifier: Apache-2.0
/**
 * What part of a processor's last cache and of its memory bandwidth guests may take: Intel's and AMD's CAT and MBA by resctrl.
 */
package org.ic2.host.backend.resctrl;
