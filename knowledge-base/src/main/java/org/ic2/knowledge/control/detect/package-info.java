// SPDX-License-Identifier: Apache-2.0
/**
 * From a sample to what it means: what runs, which label the detector gives, which one is believed, and which operating
 * context follows. Depends on {@code state} and all below it.
 */
package org.ic2.knowledge.control.detect;
