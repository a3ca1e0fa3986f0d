// SPDX-License-Identifier: Apache-2.0
/** Reports that need nothing but a browser: one HTML file with its pictures in it. */
package org.ic2.training.report;
