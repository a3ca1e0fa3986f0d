// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What HAProxy answers to "show stat". */
class ServerWeightTest {
    private static final String HEAD = "# pxname,svname,qcur,qmax,scur,smax,slim,stot,status,weight\n";

    @Test
    void theServersOfTheSiteAreRead() throws IOException {
        assertThat(ServerWeight.parse(HEAD + "site,FRONTEND,,,3,5,2000,9,OPEN,\nweb,web1,1,2,3,4,200,9,UP,62\nweb,web2,0,0,0,4,,9,DRAIN (agent),100\n"
                + "web,BACKEND,0,0,3,5,200,9,UP,162\n\n"))
                .isEqualTo(List.of(new ServerWeight("web1", 62, "UP", 3, 1), new ServerWeight("web2", 100, "DRAIN (agent)", 0, 0)));
    }

    @Test
    void garbageInPlaceOfStatisticsIsRefused() {
        for (String text : List.of("", "Unknown command", "Permission denied\n")) {
            assertThatThrownBy(() -> ServerWeight.parse(text)).isInstanceOf(RunException.class).hasMessageContaining("expected its statistics");
        }
        for (String row : List.of("web,web1,1", "web,web1,1,2,x,4,200,9,UP,62", "web,web1,,,,,,,,", "web", "\0,\0")) {
            assertThatThrownBy(() -> ServerWeight.parse(HEAD + row + "\n")).as(row).isInstanceOf(RunException.class);
        }
    }
}
