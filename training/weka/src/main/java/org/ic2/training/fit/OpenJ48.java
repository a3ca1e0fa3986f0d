// SPDX-License-Identifier: GPL-3.0-or-later
package org.ic2.training.fit;

import weka.classifiers.trees.J48;
import weka.classifiers.trees.j48.ClassifierTree;

/** J48 whose tree can be read. */
final class OpenJ48 extends J48 {
    private static final long serialVersionUID = 1;

    ClassifierTree root() {
        return m_root;
    }
}
