// SPDX-License-Identifier: Apache-2.0
/**
 * libvirt's domains as guests, moved by {@code virsh}, so that libvirt knows of each change: nobody else's monitor is needed.
 */
package org.ic2.host.backend.libvirt;
