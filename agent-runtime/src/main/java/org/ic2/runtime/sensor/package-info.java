// SPDX-License-Identifier: Apache-2.0
/**
 * What a sensor is, and what every one needs: its plan in the configuration, a deadline, readings, rates of counters, the
 * kernel's files. Which quantities there are is not known here.
 */
package org.ic2.runtime.sensor;
