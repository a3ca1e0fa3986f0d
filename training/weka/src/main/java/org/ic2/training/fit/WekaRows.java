// SPDX-License-Identifier: GPL-3.0-or-later
package org.ic2.training.fit;

import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;
import org.ic2.knowledge.Attribute;
import org.ic2.knowledge.Label;
import org.ic2.knowledge.Metric;
import org.ic2.training.data.Row;
import weka.core.DenseInstance;
import weka.core.Instance;
import weka.core.Instances;

/**
 * Rows as Weka sees them. J48 takes values closer than 0.00001 for equal, which is coarse for a load per operation in
 * seconds; so that one is multiplied by 1024. A power of two changes no digit, and the exported tree and Weka's compare
 * exactly alike.
 */
final class WekaRows {
    private static final double SMALL_VALUES_FACTOR = 1024;

    private final List<Attribute> attributes;
    private final Instances header;

    WekaRows(List<Attribute> attributes) {
        WekaHome.prepare();
        this.attributes = List.copyOf(attributes);
        ArrayList<weka.core.Attribute> columns = new ArrayList<>();
        attributes.forEach(attribute -> columns.add(new weka.core.Attribute(attribute.name())));
        columns.add(new weka.core.Attribute("label", Stream.of(Label.values()).map(Label::name).toList()));
        header = new Instances("ic2", columns, 0);
        header.setClassIndex(attributes.size());
    }

    List<Attribute> attributes() {
        return attributes;
    }

    /** By how much Weka's value is larger than the attribute's. */
    static double factor(Attribute attribute) {
        boolean small = attribute.quantity() == Metric.LOAD_PER_OPERATION || attribute.quantity() == Metric.LOAD_PER_OPERATION_USED;
        return small && !attribute.relative() ? SMALL_VALUES_FACTOR : 1;
    }

    Instances of(List<Row> rows) {
        Instances result = new Instances(header, rows.size());
        for (Row row : rows) {
            Instance instance = instance(row::get);
            instance.setClassValue(row.truth().orElseThrow().ordinal());
            result.add(instance);
        }
        return result;
    }

    /** One row without a class; NaN is Weka's own sign of a missing value. */
    Instance instance(ToDoubleFunction<Attribute> values) {
        double[] cells = new double[attributes.size() + 1];
        for (int i = 0; i < attributes.size(); i++) {
            cells[i] = values.applyAsDouble(attributes.get(i)) * factor(attributes.get(i));
        }
        cells[attributes.size()] = Double.NaN;
        Instance instance = new DenseInstance(1, cells);
        instance.setDataset(header);
        return instance;
    }
}
