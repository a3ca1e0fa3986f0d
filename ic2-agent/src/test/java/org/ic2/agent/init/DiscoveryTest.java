// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.init;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.ic2.agent.application.Applications;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What Debian's httpd 2.4.71 said of itself, and what stands in files, is read; anything else is not taken for it. */
class DiscoveryTest {

    @TempDir
    private Path directory;

    @Test
    void theVersionAndTheMpmAreRead() throws Exception {
        HttpdBuild build = HttpdBuild.parse(Site.recorded("httpd-version.txt"));
        assertThat(build).isEqualTo(new HttpdBuild("2.4.71", "event", "/etc/apache2", "apache2.conf"));
        assertThat(build.carriesTheLadder()).isTrue();
        assertThatThrownBy(() -> HttpdBuild.parse("nginx version: nginx/1.22.1\n")).isInstanceOf(IOException.class)
                .hasMessageContaining("Server version: Apache/").hasMessageContaining("nginx/1.22.1");
    }

    @ParameterizedTest
    @CsvSource({"2.4.33, false", "2.4.34, true", "2.4.100, true", "2.2.34, false", "3.0.40, false"})
    void theLadderNeedsIfFile(String version, boolean carries) {
        assertThat(new HttpdBuild(version, "event", "/", "httpd.conf").carriesTheLadder()).isEqualTo(carries);
    }

    @Test
    void modulesHostsFilesAndUserAreRead() throws Exception {
        HttpdDump dump = HttpdDump.parse(Site.recorded("httpd-dump.txt"));
        assertThat(dump.has("mpm_event")).isTrue();
        assertThat(dump.has("cache_disk")).isFalse();
        assertThat(dump.virtualHosts()).extracting(host -> host.name() + ":" + host.port()).containsExactly("shop.example.org:8443",
                "www.example.org:8099", "blog.example.org:8099");
        assertThat(dump.user() + " " + dump.group() + " " + dump.pidFile() + " " + dump.documentRoot())
                .isEqualTo("www-data www-data /etc/apache2/apache2.pid /var/www/html");
        assertThat(dump.files()).hasSize(15).startsWith(new HttpdDump.Included(0, 0, "/etc/apache2/apache2.conf"),
                new HttpdDump.Included(1, 10, "/etc/apache2/mods/alias.load"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "apache2: Syntax error on line 7", "Loaded Modules:\n", "\u0000\uffff (((\n", "  (*) /a\n  (*"})
    void anyOutputButADumpIsRefusedAndQuoted(String text) {
        assertThatThrownBy(() -> HttpdDump.parse(text)).isInstanceOf(IOException.class).hasMessageContaining("expected the modules");
    }

    @Test
    void directivesComeInTheirOrderWithSectionsVariablesAndConditions() throws Exception {
        HttpdDump dump = HttpdDump.parse(" mpm_event_module (static)\n status_module (shared)\n  (*) /a\n    (3) /b\n      (1) /c\n");
        HttpdConfig config = HttpdConfig.read(dump, Map.of("/a", """
                Define ROOT "/srv/a b"
                keepalivetimeout 5
                Include b
                MaxRequestWorkers 10
                # KeepAliveTimeout 99
                <VirtualHost *:80>
                  KeepAliveTimeout 7
                  DocumentRoot "${ROOT}/\\
                web"
                  <IfModule !mod_status.c>
                    DocumentRoot /no
                  </IfModule>
                </VirtualHost>
                """, "/b", "KeepAliveTimeout 15\nMaxRequestWorkers 20\n<IfModule mpm_prefork_module>\nMaxRequestWorkers 3\n</IfModule>\n",
                "/c", "KeepAliveTimeout 12\nCustomLog ${LOGS}/a.log \"%h \\\"%r\\\"\"\n<IfDefine ROOT>\nListen 8080\n</IfDefine>\n")::get,
                "export LOGS=/var/log/apache2$SUFFIX\n");
        assertThat(config.value("keepalivetimeout")).hasValue("15");
        assertThat(config.number("maxrequestworkers")).hasValue(10);
        assertThat(config.all("documentroot")).extracting(HttpdDirective::argument).containsExactly("/srv/a b/web");
        assertThat(config.all("customlog")).extracting(HttpdDirective::arguments).containsExactly(List.of("/var/log/apache2/a.log",
                "%h \"%r\""));
        assertThat(config.number("listen")).hasValue(8080);
        assertThat(config.variable("LOGS")).hasValue("/var/log/apache2");
    }

    @Test
    void garbageInFilesIsReadWithoutEnd() throws Exception {
        Random random = new Random(15);
        String letters = "<>\"'\\\n #/{}$IfModule a\u0000";
        for (int round = 0; round < 2000; round++) {
            StringBuilder text = new StringBuilder();
            random.ints(random.nextInt(80), 0, letters.length()).forEach(at -> text.append(letters.charAt(at)));
            HttpdDump dump = HttpdDump.parse(" a_module (static)\n  (*) /a\n    (2) /a\n");
            HttpdConfig config = HttpdConfig.read(dump, path -> text.toString(), text.toString());
            assertThat(config.all("documentroot").count()).isLessThan(80);
            PhpPool.parse(text.toString());
            Discovery.listening(text.toString());
            Discovery.stolen(text.toString());
        }
    }

    @Test
    void poolsOfPhpAreRead() {
        assertThat(PhpPool.parse("""
                ; Start a new pool named 'www'.
                [www]
                listen = /run/php/php8.2-fpm.sock
                ;pm.status_path = /status
                pm = dynamic
                pm.max_children = 5
                [shop]
                listen = /run/php/$pool.sock
                pm = static
                pm.max_children = many
                pm.status_listen = 127.0.0.1:9001 ; for the agent
                pm.status_path = "/s"
                """)).containsExactly(new PhpPool("www", "/run/php/php8.2-fpm.sock", "dynamic", 5, "", ""),
                new PhpPool("shop", "/run/php/shop.sock", "static", 0, "127.0.0.1:9001", "/s"));
    }

    @Test
    void portsAndStealAreRead() throws Exception {
        assertThat(Discovery.listening("  sl  local_address rem_address   st\n"
                + "   0: 0100007F:1F98 00000000:0000 0A 00000000:00000000\n"
                + "   1: 0100007F:1F99 0100007F:0050 01 00000000:00000000\n"
                + "   2: 00000000000000000000000000000000:01BB 00000000000000000000000000000000:0000 0A 00000000:0\n"))
                .isEqualTo(Set.of(8088, 443));
        assertThat(Discovery.stolen("cpu  10 0 10 100 0 0 0 250 0 0\ncpu0 1 1 1 1 1 1 1 1 0 0\n")).isEqualTo(2.5);
        assertThat(Discovery.stolen("")).isZero();
        assertThat(Discovery.steal("cpu  10 0 10 100 0 0 0 250 0 0\n")).isEqualTo(250.0 / 370);
        assertThat(Discovery.steal("cpu  2832713 1085201 912422 3021779 14196 0 34079 2067 0 0\ncpu0 1 1 1 1 1 1 1 1 0 0\n")).isBetween(0.0002, 0.0003);
        for (String garbage : new String[] {"", "cpu", "cpu  0 0 0 0 0 0 0 0 0 0\n", "cpu  1 2 3\n", "cpu  a b c d e f g h\n"}) {
            assertThat(Discovery.steal(garbage)).as(garbage).isZero();
        }
    }

    @Test
    void theApplicationIsFoundWhereItIsServed() throws Exception {
        Site site = new Site(directory);
        assertThat(site.facts().applications()).extracting(FoundApplication::describe)
                .containsExactly("WordPress in /usr/share/wordpress");
        site.put(Site.APACHE + "/sites/000-default.conf", "DocumentRoot /var/www/html/\nAlias /blog /usr/share/wordpress\n"
                + "Alias /shop /srv/shop/public\n");
        for (String file : List.of("/srv/shop/public/index.php", "/srv/shop/artisan", "/var/www/html/wiki/index.php",
                "/var/www/html/wiki/load.php", "/var/www/html/index.php")) {
            site.put(file, "");
        }
        assertThat(site.facts().applications()).extracting(FoundApplication::describe).containsExactlyInAnyOrder(
                "WordPress in /usr/share/wordpress, below /blog", "Laravel in /srv/shop, below /shop",
                "MediaWiki in /var/www/html/wiki, below /wiki");
    }

    @Test
    void eachShippedApplicationCanBeRecognised() {
        assertThat(Applications.shipped().all()).extracting(each -> each.marker()).doesNotContain("").doesNotHaveDuplicates();
    }

    @Test
    void withoutApacheItSaysWhereItLooked() throws Exception {
        Site site = new Site(directory);
        java.nio.file.Files.delete(directory.resolve("usr/sbin/apache2ctl"));
        assertThatThrownBy(site::facts).isInstanceOf(IOException.class).hasMessageContaining("/usr/sbin/apachectl");
    }
}
