// SPDX-License-Identifier: Apache-2.0
/**
 * The configuration file, read strictly into an {@link org.ic2.agent.config.AgentConfig}. It knows the registries of
 * sensors and actuators and the policy of the knowledge base; nothing of what runs.
 */
package org.ic2.agent.config;
