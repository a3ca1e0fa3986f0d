// SPDX-License-Identifier: Apache-2.0
/**
 * Settings of the web tier and neighbours measured in turn, in slots of one run of the load, and the experiments of
 * docs/testbed.md made of them.
 */
package org.ic2.training.slots;
