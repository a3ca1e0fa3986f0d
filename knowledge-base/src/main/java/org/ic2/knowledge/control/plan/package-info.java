// SPDX-License-Identifier: Apache-2.0
/**
 * From what a sample means to what is done, and to what is remembered then. Depends on {@code detect} and all below it.
 */
package org.ic2.knowledge.control.plan;
