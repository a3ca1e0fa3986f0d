// SPDX-License-Identifier: Apache-2.0
/** What the commands of all agents have in common: their options, their talk with the running agent, and how they end. */
package org.ic2.runtime.cli;
