// SPDX-License-Identifier: Apache-2.0
/**
 * The part of Faban's API that our driver and the embedded runtime need, to compile against: names and types only. A real
 * Faban brings its own, so nothing here is in a package of ours, and nothing here depends on anything.
 */
package com.sun.faban.driver;
