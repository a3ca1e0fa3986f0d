// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.init;

import java.util.List;
import org.ic2.agent.application.LadderLines;
import org.ic2.agent.application.WebApplication;

/**
 * An application of this machine after a look at its pages.
 *
 * @param found       where it lies
 * @param application what may be stored of it: nothing that was not seen to be the same for two strangers
 * @param brownout    it leaves out optional parts at level 6
 * @param seen        what the look has shown, in lines for people
 * @param missing     what to add to its configuration, in lines for people
 */
public record TriedApplication(FoundApplication found, WebApplication application, boolean brownout, List<String> seen,
        List<String> missing) {

    /** For httpd's lines. */
    LadderLines.Placed placed() {
        return new LadderLines.Placed(application, found.root());
    }
}
