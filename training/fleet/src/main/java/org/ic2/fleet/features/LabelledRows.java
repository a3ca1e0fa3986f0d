// SPDX-License-Identifier: Apache-2.0
package org.ic2.fleet.features;

import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.function.Function;

/**
 * What is made of the rows of a task that have a label and can be judged; the others are left out and counted.
 *
 * @param <T> what a row becomes
 */
public final class LabelledRows<T> implements Iterator<T> {
    private final Iterator<TenantRow> rows;
    private final Function<TenantRow, T> form;
    private final Reasons reasons;
    private T ready;

    /**
     * Of these rows.
     *
     * @param form    what becomes of each, never null
     * @param reasons counts those that are left out
     */
    public LabelledRows(Iterator<TenantRow> rows, Function<TenantRow, T> form, Reasons reasons) {
        this.rows = rows;
        this.form = form;
        this.reasons = reasons;
    }

    @Override
    public boolean hasNext() {
        while (ready == null && rows.hasNext()) {
            TenantRow next = rows.next();
            if (next.row().labelled()) {
                ready = form.apply(next);
            } else {
                reasons.add(next.row().lack().orElse("no label"));
            }
        }
        return ready != null;
    }

    @Override
    public T next() {
        if (!hasNext()) {
            throw new NoSuchElementException();
        }
        T made = ready;
        ready = null;
        return made;
    }
}
