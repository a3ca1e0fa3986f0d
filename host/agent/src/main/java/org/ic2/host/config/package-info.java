// SPDX-License-Identifier: Apache-2.0
/**
 * {@code /etc/ic2/host.yaml}, read strictly.
 */
package org.ic2.host.config;
