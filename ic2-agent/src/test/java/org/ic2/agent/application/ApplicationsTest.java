// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.application;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import org.ic2.agent.servers.RealHttpd;
import org.ic2.runtime.yaml.ConfigException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code applications.yaml}, ours and those of administrators, and the lines that are made of it. */
class ApplicationsTest {

    private static final String SHOP = """
            format: 1
            applications:
              shop:
                name: Our shop
                front-controller: index.php
            """;

    @TempDir
    private Path directory;

    private static List<String> lines(WebApplication application) {
        return new LadderLines(application.root(), "/docs", Optional.empty()).of(application);
    }

    private static WebApplication shipped(String id) {
        return Applications.shipped().find(id).orElseThrow();
    }

    /** The regular expression of a definition, as mitigation.conf matches with it. */
    private static Pattern defined(String id, String name) {
        String begin = "Define MITIGATION_" + name + " \"";
        return lines(shipped(id)).stream().filter(line -> line.startsWith(begin)).findFirst()
                .map(line -> Pattern.compile("^(?:" + line.substring(begin.length(), line.length() - 1) + ")$")).orElseThrow();
    }

    @Test
    void thoseOfTheIssueAreThereAndWhatCannotBeKeptIsNot() {
        assertThat(Applications.shipped().all()).extracting(WebApplication::id).containsExactly("drupal", "joomla", "laravel",
                "mediawiki", "nextcloud", "phpbb", "symfony", "wordpress");
        assertThat(Applications.shipped().all()).filteredOn(each -> !each.cacheable()).extracting(WebApplication::id)
                .containsExactly("joomla", "nextcloud", "phpbb");
        assertThat(Applications.shipped().all()).allSatisfy(each -> {
            assertThat(each.notes()).isNotEmpty();
            assertThat(each.cacheable()).as("who is somebody is said where pages are kept: %s", each.id())
                    .isEqualTo(!each.sessionCookies().isEmpty());
        });
        assertThat(defined("nextcloud", "PAGES").matcher("/").matches()).isFalse();
    }

    @ParameterizedTest
    @CsvSource({"wordpress,/,true", "wordpress,/2026/05/hello/,true", "wordpress,/feed/,true", "wordpress,/wp-admin/,false",
        "wordpress,/wp-json/wp/v2/posts,false", "wordpress,/wp-login.php,false", "wordpress,/checkout/,false",
        "mediawiki,/index.php/Main_Page,true", "mediawiki,/wiki/Special:UserLogin,false", "mediawiki,/wiki/C.P._Snow,true",
        "drupal,/node/7,true", "drupal,/node/7/edit,false", "drupal,/user/login,false", "symfony,/_profiler/1,false",
        "laravel,/blog,true", "laravel,/login,false"})
    void pages(String id, String path, boolean kept) {
        assertThat(defined(id, "PAGES").matcher(path).matches()).isEqualTo(kept);
    }

    @ParameterizedTest
    @CsvSource({"wordpress,SESSION_COOKIE,wordpress_logged_in_5c016e8f,true", "wordpress,SESSION_COOKIE,wp-postpass_5c01,true",
        "wordpress,SESSION_COOKIE,comment_author_5c01,false", "wordpress,KNOWN_COOKIE,comment_author_email_5c01,true",
        "drupal,SESSION_COOKIE,SSESS1f2e,true", "drupal,KNOWN_COOKIE,DrupalXvisitor.name,false",
        "drupal,KNOWN_COOKIE,Drupal.visitor.name,true", "mediawiki,SESSION_COOKIE,my_wikiUserID,true",
        "mediawiki,SESSION_COOKIE,my_wiki_session,true", "laravel,SESSION_COOKIE,shop_session,true",
        "laravel,SESSION_COOKIE,XSRF-TOKEN,true", "symfony,SESSION_COOKIE,REMEMBERME,true", "wordpress,PARAMETERS,paged,true",
        "wordpress,PARAMETERS,preview,false", "wordpress,PARAMETERS,s,false"})
    void names(String id, String define, String name, boolean matches) {
        assertThat(defined(id, define).matcher(name).matches()).isEqualTo(matches);
    }

    @Test
    void theLinesOfAnApplication() {
        assertThat(new LadderLines("/srv/blog/", "/usr/share/doc/ic2", Optional.of("/var/lib/ic2/ladder/mitigation.map"))
                .of(shipped("wordpress"))).filteredOn(line -> !line.startsWith("#")).containsExactly(
                        "Define MITIGATION_APPLICATION \"/srv/blog/index.php\"",
                        "Define MITIGATION_PAGES \"(?!(?:/wp-admin.*|/wp-login.*|/wp-json.*|/wp-cron.*|/xmlrpc.*|/cart.*|/checkout.*"
                        + "|/my-account.*)$)(?:/.*)\"",
                        "Define MITIGATION_SESSION_COOKIE \"wordpress_[^=]*|wp-postpass_[^=]*|woocommerce_[^=]*|wp_woocommerce_session_[^=]*\"",
                        "Define MITIGATION_KNOWN_COOKIE \"comment_author_[^=]*\"",
                        "Define MITIGATION_PARAMETERS \"p|page_id|page|paged|cpage|cat|tag|m\"",
                        "Define MITIGATION_MAP \"/var/lib/ic2/ladder/mitigation.map\"",
                        "Include \"/usr/share/doc/ic2/mitigation.conf\"", "Include \"/usr/share/doc/ic2/status.conf\"");
    }

    /** Every definition is one that httpd takes, and uses as mitigation.conf does. */
    @Test
    @EnabledIf("httpdBuilt")
    void httpdTakesTheLinesOfEach() throws Exception {
        StringBuilder conf = new StringBuilder();
        for (WebApplication each : Applications.shipped().all()) {
            for (String line : lines(each)) {
                if (line.startsWith("Define MITIGATION_")) {
                    String name = line.split(" ")[1];
                    conf.append(line).append("\nSetEnvIfExpr \"'x' =~ m#^(?:${").append(name).append("})$#\" x=1\nUnDefine ")
                            .append(name).append('\n');
                }
            }
        }
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-xr-x"));
        try (RealHttpd httpd = RealHttpd.stock(Files.createDirectory(directory.resolve("httpd")), List.of("setenvif"), conf.toString())) {
            assertThat(httpd.page()).contains("BusyWorkers");
        }
    }

    static boolean httpdBuilt() {
        return RealHttpd.built();
    }

    /** The table of the page has the keys that the reader knows, and the page each application. */
    @Test
    void thePageNamesEachKeyAndApplication() throws Exception {
        String page = Files.readString(Path.of("../docs/applications.md"));
        String keys = page.substring(page.indexOf("\n## Keys"));
        assertThatThrownBy(() -> Applications.parse("a.yaml", SHOP + "    colour: red\n")).satisfies(error -> {
            for (String key : error.getMessage().replaceAll(".*expected one of ", "").split(", ")) {
                assertThat(keys).contains("\n| `" + key + "` | ");
            }
        });
        Applications.shipped().all().forEach(each -> assertThat(page).contains(each.name().replaceAll(" .*", "")));
    }

    /** Who defines what is harmless takes the place of mitigation.conf's own list, so that one comes first. */
    @Test
    void whatIsHarmlessEverywhereStaysHarmless() throws Exception {
        String conf = Files.readString(Path.of("../httpd-online/docs/mitigation.conf"));
        WebApplication shop = Applications.parse("a.yaml", SHOP + "    harmless-cookies: [theme]\n    harmless-parameters: [from]\n")
                .find("shop").orElseThrow();
        String cookies = lines(shop).stream().filter(line -> line.contains("HARMLESS_COOKIES")).findFirst().orElseThrow();
        assertThat(cookies).endsWith("|theme\"");
        assertThat(conf).contains(cookies.replace("|theme\"", "\""));
        assertThat(lines(shop)).anySatisfy(line -> assertThat(line).startsWith("Define MITIGATION_HARMLESS_PARAMETERS \"utm_")
                .endsWith("|from\""));
    }

    @Test
    void aFileOfOnesOwnAddsAndReplaces() throws Exception {
        Path file = Files.writeString(directory.resolve("applications.yaml"), SHOP + "  wordpress: {name: Ours, front-controller: wp.php}\n");
        Applications all = Applications.shipped().with(file);
        assertThat(all.find("shop").orElseThrow().root()).isEqualTo("/var/www/html");
        assertThat(all.find("wordpress").orElseThrow().name()).isEqualTo("Ours");
        assertThat(all.find("drupal")).isPresent();
        assertThatThrownBy(() -> Applications.shipped().with(directory.resolve("none"))).isInstanceOf(ConfigException.class)
                .hasMessageContaining("no such file");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', ignoreLeadingAndTrailingWhitespace = false, value = {
        "    colour: red|a.yaml:6: applications.shop.colour: unknown key; expected one of name, root",
        "    pages: /|a.yaml:6: applications.shop.pages: expected a list",
        "    pages: [news]|a.yaml:6: applications.shop.pages: expected a path such as /news/*, got \"news\"",
        "    session-cookies: ['a\"b']|a.yaml:6: applications.shop.session-cookies: expected a cookie's name",
        "    session-cookies: ['${X}']|expected a cookie's name",
        "    parameters: [a b]|expected a parameter's name",
        "    root: www|a.yaml:6: applications.shop.root: expected a directory",
        "    notes: [\"a\\nb\"]|a.yaml:6: applications.shop.notes: expected a line of text",
        "  Shop: {name: x}|a.yaml:6: applications.Shop: expected small letters",
        "  other: {name: x}|a.yaml:6: applications.other.front-controller: missing",
        "  other: {name: x, front-controller: ../x}|applications.other.front-controller: expected a file below the root",
        "further: 1|a.yaml:6: further: unknown key"})
    void whatIsWrongIsSaidWithItsPlace(String line, String error) {
        assertThatThrownBy(() -> Applications.parse("a.yaml", SHOP + line + "\n"))
                .isInstanceOf(ConfigException.class).hasMessageContaining(error);
    }

    @Test
    void anotherFormatIsRefused() {
        assertThatThrownBy(() -> Applications.parse("a.yaml", SHOP.replace("format: 1", "format: 2"))).hasMessageContaining("a.yaml:1: format");
        assertThatThrownBy(() -> Applications.parse("a.yaml", "")).hasMessageContaining("a.yaml:1");
    }
}
