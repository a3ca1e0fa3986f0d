// SPDX-License-Identifier: Apache-2.0
/**
 * What a third party adds to the agent from a jar of its own: {@link org.ic2.examples.DatabaseConnections a lever with
 * its actuator} and {@link org.ic2.examples.JobQueue a sensor with a quantity of its own}. Each is one class and one line
 * below {@code META-INF/services}. Depends on the agent's interfaces only.
 */
package org.ic2.examples;
