// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.apply;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.ic2.host.backend.Backend;
import org.ic2.host.backend.BackendProvider;
import org.ic2.host.backend.Capabilities;
import org.ic2.host.model.Guest;
import org.ic2.host.model.GuestClass;
import org.ic2.host.model.GuestKnob;
import org.ic2.host.model.KnobKind;

/** {@code backend: {type: fake, file: FILE}}: a {@link FakeBackend} of whose guests each line is a name; "credit2" has no time slice. */
public final class FakeProvider implements BackendProvider {

    @Override
    public String type() {
        return "fake";
    }

    @Override
    public String key() {
        return "file";
    }

    @Override
    public Backend open(Path file) throws IOException {
        FakeBackend host = new FakeBackend();
        host.ranges.put(KnobKind.AFFINITY, new Capabilities.Range(0, 1, 1));
        for (String line : Files.readAllLines(file, StandardCharsets.UTF_8)) {
            if (line.equals("credit2")) {
                host.lacking.add(KnobKind.TSLICE);
                host.ranges.remove(KnobKind.TSLICE);
                host.values.remove("tslice pool pool");
            } else {
                Guest guest = host.start(line, "id-" + line, GuestClass.NLS, 256, 0, 512);
                host.values.put("affinity " + GuestKnob.of(KnobKind.AFFINITY, guest, 0).target().identity(), -1);
            }
        }
        return host;
    }
}
