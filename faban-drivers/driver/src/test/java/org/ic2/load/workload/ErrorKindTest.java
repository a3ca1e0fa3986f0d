// SPDX-License-Identifier: Apache-2.0
package org.ic2.load.workload;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.SocketTimeoutException;
import org.ic2.load.http.HttpFailure;
import org.junit.jupiter.api.Test;

class ErrorKindTest {
    @Test
    void anOperationFailsForOneReason() {
        assertThat(PageError.kindOf(new PageError("GET /: expected 200, got 503", 503))).isEqualTo(ErrorKind.REFUSED);
        assertThat(PageError.kindOf(new PageError("GET /: expected 200, got 500", 500))).isEqualTo(ErrorKind.STATUS);
        assertThat(PageError.kindOf(new PageError("expected the page 'event', got 'home'"))).isEqualTo(ErrorKind.PAGE);
        assertThat(PageError.kindOf(PageError.leak("GET /: expected a page for 7, got one for 8"))).isEqualTo(ErrorKind.LEAK);
        assertThat(PageError.kindOf(new HttpFailure("GET /", new HttpFailure("late", new SocketTimeoutException("time limit")))))
                .isEqualTo(ErrorKind.TIMEOUT);
        assertThat(PageError.kindOf(new HttpFailure("no answer", new IOException("reset")))).isEqualTo(ErrorKind.CONNECTION);
        assertThat(PageError.kindOf(new IllegalStateException("the operation did not call recordTime()"))).isEqualTo(ErrorKind.OTHER);
    }

    @Test
    void aLeakIsCalledOne() {
        assertThat(PageError.leak("GET /: expected 7, got 8")).hasMessage("leak: GET /: expected 7, got 8");
    }
}
