// SPDX-License-Identifier: Apache-2.0
package org.ic2.fleet.ingest;

import java.io.Serializable;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.ic2.fleet.store.FleetException;
import org.ic2.knowledge.SamplesCsv;
import org.ic2.training.data.Run;

/**
 * Whose a recording is: what its {@code run.json} says as facts, else its path ({@code .../tenant=t17/host=h3/...}), else what was
 * said for all. A cell of the recording itself comes before these.
 *
 * @param tenant      empty if unknown
 * @param host        empty if unknown
 * @param application empty if unknown
 */
record Origin(Optional<String> tenant, Optional<String> host, Optional<String> application) {
    /** An application without a name. */
    static final String UNKNOWN = "unknown";
    private static final Pattern IN_PATH = Pattern.compile("(?<=/)(tenant|host|application)=([^/]+)(?=/)");
    /** What folders and reports can bear. */
    private static final Pattern NAME = Pattern.compile("[^\\p{Cntrl}]{1,200}");

    /** What the command says of all recordings; null where it says nothing. */
    record Said(String tenant, String host, String application) implements Serializable {
        private static final long serialVersionUID = 1;
    }

    static Origin of(String path, Optional<Run> facts, Said said) {
        Map<String, String> inPath = new HashMap<>();
        for (Matcher at = IN_PATH.matcher(path); at.find();) {
            inPath.put(at.group(1), at.group(2));
        }
        return new Origin(first(facts, inPath, "tenant", said.tenant()), first(facts, inPath, "host", said.host()),
                first(facts, inPath, "application", said.application())
                        .or(() -> facts.map(run -> run.fact("testbed.application")).filter(name -> !name.isEmpty())));
    }

    private static Optional<String> first(Optional<Run> facts, Map<String, String> inPath, String name, String said) {
        return facts.map(run -> run.fact(name)).filter(value -> !value.isEmpty())
                .or(() -> Optional.ofNullable(inPath.get(name))).or(() -> Optional.ofNullable(said));
    }

    /** The tenant of a line; an error if unknown. {@code reader} is null where the recording says nothing itself. */
    String tenant(SamplesCsv.Reader reader, String line, String file) {
        return cell(reader, line, "tenant", tenant).orElseThrow(() -> new FleetException(file + ": whose web tier is it? Expected a column"
                + " 'tenant', the fact 'tenant' in run.json beside it, or a folder tenant=NAME above it; say --tenant NAME for all"));
    }

    /** The host of a line, null if unknown. */
    String host(SamplesCsv.Reader reader, String line) {
        return cell(reader, line, "host", host).orElse(null);
    }

    /** The application of a line. */
    String application(SamplesCsv.Reader reader, String line) {
        return cell(reader, line, "application", application).orElse(UNKNOWN);
    }

    private static Optional<String> cell(SamplesCsv.Reader reader, String line, String column, Optional<String> otherwise) {
        Optional<String> value = reader == null ? otherwise : reader.cell(line, column).or(() -> otherwise);
        value.filter(name -> !NAME.matcher(name).matches()).ifPresent(name -> {
            throw new IllegalArgumentException("column '" + column + "': expected a name of at most 200 characters, got '" + name + "'");
        });
        return value;
    }
}
