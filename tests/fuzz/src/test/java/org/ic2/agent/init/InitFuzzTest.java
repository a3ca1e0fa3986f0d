// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.init;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/** What httpd, php-fpm and files say of themselves, and a record that another program has written. */
class InitFuzzTest {

    @FuzzTest
    void httpdSays(byte[] bytes) {
        String text = new String(bytes, StandardCharsets.UTF_8);
        try {
            HttpdBuild.parse(text).carriesTheLadder();
        } catch (IOException e) {
            assertThat(e.getMessage()).startsWith("expected");
        }
        try {
            HttpdConfig config = HttpdConfig.read(HttpdDump.parse(text), path -> text, text);
            config.all("documentroot").forEach(directive -> assertThat(directive.argument()).isNotNull());
        } catch (IOException e) {
            assertThat(e.getMessage()).isNotBlank();
        }
        PhpPool.parse(text);
        Discovery.listening(text);
        Discovery.stolen(text);
    }

    @FuzzTest
    void record(byte[] bytes) {
        try {
            InitRecord record = InitRecord.parse(new String(bytes, StandardCharsets.UTF_8));
            assertThat(record.files().keySet()).allMatch(path -> path.matches("/etc/(ic2|apache2/conf-available)/[a-z0-9.-]+"));
            assertThat(InitRecord.parse(record.text())).isEqualTo(record);
        } catch (IOException e) {
            assertThat(e.getMessage()).startsWith(InitRecord.PATH);
        }
    }
}
