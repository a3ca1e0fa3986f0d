// SPDX-License-Identifier: Apache-2.0
/**
 * What the embedded runtime and a driver may tell each other beyond Faban's API. A driver that uses these still runs on
 * a real Faban, where there is no listener. Depends on nothing.
 */
package org.ic2.load.spi;
