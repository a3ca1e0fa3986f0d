// SPDX-License-Identifier: Apache-2.0
/**
 * Several hosts: what each of them tells of its guests' workloads, and which guest should live on another one.
 */
package org.ic2.host.fleet;
