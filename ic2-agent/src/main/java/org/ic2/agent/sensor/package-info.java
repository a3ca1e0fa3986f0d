// SPDX-License-Identifier: Apache-2.0
/**
 * The tenant's sensors: one class for each source of figures, and the registry that names them. They depend on the
 * runtime's hosts and sensors and on the names of the metrics alone.
 */
package org.ic2.agent.sensor;
