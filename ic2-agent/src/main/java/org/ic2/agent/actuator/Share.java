// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.actuator;

import org.ic2.runtime.knob.Knob;

/** How much of its usual share of the requests a server of a cluster wants, % of its initial weight at the load balancer. */
final class Share implements Knob {

    /** All of it: the baseline. */
    static final int WHOLE = 100;

    static final Knob KNOB = new Share();

    private Share() {
    }

    @Override
    public String key() {
        return "share";
    }

    @Override
    public String column() {
        return "share";
    }

    @Override
    public String unit() {
        return "%";
    }

    /** Never nothing: with all servers beside noisy neighbours that would close the site. */
    @Override
    public int least() {
        return 5;
    }

    @Override
    public int neutral() {
        return WHOLE;
    }

    @Override
    public int parse(String text) {
        int value = Knob.super.parse(text.endsWith("%") ? text.substring(0, text.length() - 1) : text);
        if (value > WHOLE) {
            throw new IllegalArgumentException("expected at most " + WHOLE + ", got \"" + text + "\"");
        }
        return value;
    }
}
