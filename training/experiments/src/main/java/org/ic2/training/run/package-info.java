// SPDX-License-Identifier: Apache-2.0
/**
 * One measured run on the testbed: load, neighbour, agent, timed changes; everything is stopped and put back at its end,
 * also after a failure. Every experiment is made of such runs.
 */
package org.ic2.training.run;
