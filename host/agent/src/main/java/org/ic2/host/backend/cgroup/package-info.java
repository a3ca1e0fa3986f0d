// SPDX-License-Identifier: Apache-2.0
/**
 * Linux control groups as guests, version 1 and 2: the children of one group, such as libvirt's {@code machine.slice}.
 */
package org.ic2.host.backend.cgroup;
