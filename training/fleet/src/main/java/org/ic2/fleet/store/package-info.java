// SPDX-License-Identifier: Apache-2.0
/**
 * What the verbs read and write: the schema of a fleet's samples, folders that appear in one step with their manifest, Spark's
 * session, and errors as one line. Depends on no other package of the fleet's training.
 */
package org.ic2.fleet.store;
