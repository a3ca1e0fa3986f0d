// SPDX-License-Identifier: Apache-2.0
/**
 * QEMU's virtual machines as guests: memory by the balloon over QMP, CPU time by the machine's control group.
 */
package org.ic2.host.backend.qemu;
