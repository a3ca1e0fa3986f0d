// SPDX-License-Identifier: Apache-2.0
package org.ic2.fleet.fit;

import java.util.List;
import org.ic2.fleet.tree.TreeSettings;
import org.ic2.knowledge.Attribute;

/**
 * What to train.
 *
 * @param store      the samples
 * @param attributes what the tree may test
 * @param settings   how to train
 * @param member     the member of the application group that is judged
 * @param heldOut    the share of the tenants that judge and do not teach
 * @param clusters   into how many clusters tenants are parted, to see whether trees of their own serve them better; less than 2: not
 */
public record FitOrder(String store, List<Attribute> attributes, TreeSettings settings, String member, double heldOut, int clusters) {
}
