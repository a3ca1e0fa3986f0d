// SPDX-License-Identifier: Apache-2.0
/**
 * A fleet made out of real recordings, for tests and for the scale study. The same seed gives the same samples, whichever machine
 * makes which host. What it makes says of itself that it is synthetic. Uses {@code store} alone.
 */
package org.ic2.fleet.synthetic;
