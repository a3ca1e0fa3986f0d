// SPDX-License-Identifier: Apache-2.0
/** The workload: seven operations on a calendar of social events, after Olio's driver (paper, section 5). */
package org.ic2.load.olio;
