// SPDX-License-Identifier: Apache-2.0
/** From a store to a classifier: trained on most tenants, judged on the others, and held against Spark's tree. Uses all but {@code cli}. */
package org.ic2.fleet.fit;
