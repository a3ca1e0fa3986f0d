// SPDX-License-Identifier: Apache-2.0
/** What a provider looks at: the noisiest hosts and hours as a page for people and one for Prometheus. Uses {@code label} and {@code store}. */
package org.ic2.fleet.report;
