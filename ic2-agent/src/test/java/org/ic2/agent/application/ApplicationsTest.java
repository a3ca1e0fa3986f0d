// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.application;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Optional;
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

    private static WebApplication shipped(String id) {
        return Applications.shipped().find(id).orElseThrow();
    }

    private static List<String> directives(WebApplication application, String root) {
        return LadderLines.directory(new LadderLines.Placed(application, root)).stream().map(String::strip)
                .filter(line -> !line.startsWith("#")).toList();
    }

    @Test
    void applicationsWhosePagesAreNeverStoredHaveNoPatterns() {
        assertThat(Applications.shipped().all()).extracting(WebApplication::id).containsExactly("drupal", "joomla", "laravel",
                "mediawiki", "nextcloud", "phpbb", "symfony", "wordpress");
        assertThat(Applications.shipped().all()).filteredOn(each -> !each.cacheable()).extracting(WebApplication::id)
                .containsExactly("joomla", "nextcloud", "phpbb");
        assertThat(Applications.shipped().all()).allSatisfy(each -> {
            assertThat(each.notes()).isNotEmpty();
            assertThat(each.cacheable()).as("members are told from others in logs: %s", each.id()).isEqualTo(!each.cookies().session().isEmpty());
        });
        assertThat(directives(shipped("nextcloud"), "/srv/cloud")).containsExactly("<Directory \"/srv/cloud\">",
                "StandbyApplication \"/srv/cloud/index.php\"", "</Directory>");
    }

    @ParameterizedTest
    @CsvSource({"wordpress,/,true", "wordpress,/2026/05/hello/,true", "wordpress,/feed/,true", "wordpress,/wp-admin/,false",
        "wordpress,/WP-ADMIN/,false", "wordpress,/wp-json/wp/v2/posts,false", "wordpress,/index.php/wp-json/,false",
        "wordpress,/wp-login.php,false", "wordpress,/checkout/,false", "wordpress,/?p=7&utm_source=x,true", "wordpress,/?s=word,false",
        "wordpress,/?p=7&p=8,false", "wordpress,/?preview=1,false", "wordpress,/a%zz,false", "wordpress,/a%ff,false",
        "mediawiki,/index.php/Main_Page,true", "mediawiki,/index.php?title=Main_Page,true", "mediawiki,/wiki/C.P._Snow,true",
        "mediawiki,/wiki/Talk:Main_Page,true", "mediawiki,/index.php?title=User_talk:Anna,true", "mediawiki,/index.php?title=User+talk:Anna,true",
        "mediawiki,/wiki/Special:UserLogin,false", "mediawiki,/index.php?title=Special:MyTalk,false",
        "mediawiki,/index.php?title=Special%3AMyTalk,false", "mediawiki,/index.php?title=%53pecial:MyTalk,false",
        "mediawiki,/index.php?title=special:mytalk,false", "mediawiki,/index.php?title=:Special:MyTalk,false",
        "mediawiki,/index.php?title=Spezial:Meine_Beitr%C3%A4ge,false", "mediawiki,/wiki/Spezial:Meine_Diskussionsseite,false",
        "mediawiki,/index.php/Special:MyTalk/x,false", "mediawiki,/index.php?title=Media:A.png,false",
        "mediawiki,/index.php?title=Main_Page&action=edit,false", "mediawiki,/index.php?title=Star_Wars:_Episode,false",
        "drupal,/node/7,true", "drupal,/node/7/edit,false", "drupal,/de/user/login,false", "drupal,/user/login,false",
        "symfony,/_profiler/1,false", "laravel,/blog,true", "laravel,/login,false", "nextcloud,/,false"})
    void pagesThatMayBeStored(String id, String target, boolean stored) {
        assertThat(new PageRules(shipped(id)).pattern(target).isPresent()).isEqualTo(stored);
    }

    @ParameterizedTest
    @CsvSource({"*,'',true", "a*,a,true", "*b,aab,true", "a*b*c,axxbyyc,true", "a*b*c,axxbyy,false", "abc,ab,false", "ab,abc,false",
        "**a**,xax,true", "A,a,false", "'',x,false", "'','',true"})
    void starsStandForAnyLetters(String pattern, String text, boolean matches) {
        assertThat(PageRules.matches(pattern, text, false)).isEqualTo(matches);
        assertThat(PageRules.matches("*a".repeat(100), "a".repeat(99), true)).isFalse();
    }

    @Test
    void anApplicationBelowAPathIsExceptedThereToo() {
        assertThat(new PageRules(shipped("wordpress").below("/blog")).pattern("/blog/wp-admin/")).isEmpty();
        assertThat(new PageRules(shipped("wordpress").below("/blog")).pattern("/blog/a/")).contains("/*");
        assertThat(shipped("mediawiki").below("/w").pages().except()).containsExactlyElementsOf(shipped("mediawiki").pages().except());
    }

    @Test
    void theLinesOfAnApplication() {
        assertThat(new LadderLines(Optional.of("/var/lib/ic2/ladder/mitigation.map"), HeaderNames.NONE, false)
                .of(new LadderLines.Placed(shipped("wordpress"), "/srv/blog/"), "/usr/share/doc/ic2"))
                .filteredOn(line -> !line.strip().startsWith("#") && !line.startsWith("StandbyCrawler")).containsExactly(
                        "StandbyLevel file \"/var/lib/ic2/ladder/mitigation.map\"", "StandbyStore /run/ic2-standby",
                        "SetEnvIfExpr \"reqenv('MITIGATION') -ge 6\" MITIGATION_BROWNOUT=1",
                        "<Directory \"/srv/blog\">",
                        "    StandbyApplication \"/srv/blog/index.php\"",
                        "    StandbyPages /*",
                        "    StandbyExcept /wp-admin* /wp-login* /wp-json* */wp-json* /wp-cron* /xmlrpc* /cart* /checkout* /my-account*",
                        "    StandbyParameters p page_id page paged cpage cat tag m",
                        "    StandbyHarmlessCookies wordpress_test_cookie",
                        "    StandbyKnownCookies 5 comment_author_*",
                        "    StandbyMask \"name=\\\"ak_js\\\" value=\\\"\" \"\\\"/>\"",
                        "    StandbyMask \"data-secret=\\\"\" \"\\\"><\"",
                        "    StandbyMask \"#?secret=\" \"\\\" w\"",
                        "    StandbySessionCookies wordpress_* wp-postpass_* woocommerce_* wp_woocommerce_session_*",
                        "</Directory>", "Include \"/usr/share/doc/ic2/status.conf\"");
    }

    @Test
    void theCrawlersOfTheListInTheirClasses() throws Exception {
        List<String> lines = new LadderLines(Optional.empty(), HeaderNames.NONE, false).server(List.of(shipped("wordpress")));
        List<String> list = java.nio.file.Files.readAllLines(java.nio.file.Path.of("../httpd-online/docs/crawlers.conf")).stream()
                .filter(line -> !line.isBlank() && !line.startsWith("#")).toList();
        assertThat(lines).containsSubsequence(list).contains("#   StandbyWall flag");
        assertThat(list).hasSizeGreaterThan(6).contains("StandbyCrawlerRate seo 2 0").allMatch(line -> line.startsWith("StandbyCrawler"));
        assertThat(lines).noneMatch(line -> line.matches("StandbyCrawlers (training|seo) .*(facebookexternalhit|Applebot|ChatGPT|OAI|Perplexity).*"));
    }

    @Test
    void thePatchedHttpdHasAVariableAndCheapCompression() {
        List<String> lines = new LadderLines(Optional.empty(), new HeaderNames(List.of("X-Forwarded-Proto"), List.of("X-Real-IP")), false)
                .server(List.of(shipped("mediawiki"), shipped("wordpress")));
        assertThat(lines).contains("StandbyLevel variable MITIGATION", "StandbyKeyedHeaders X-Forwarded-Proto",
                "StandbyVolatileHeaders X-Real-IP", "StandbySharedAge rewrite", "SetEnvIfExpr \"reqenv('MITIGATION') -ge 1\" deflate-level=1")
                .anyMatch(line -> line.startsWith("#") && line.contains("CF-Ray"));
    }

    @Test
    void mediawikisNamespacesAndMasksAreAmongItsLines() {
        assertThat(directives(shipped("mediawiki"), "/var/lib/mediawiki")).contains(
                "StandbyExcept Special:* */Special:* Media:* */Media:*", "StandbyIgnoreAnswerHeaders X-Request-Id",
                "StandbyMask \"\\\"wgRequestId\\\":\\\"\" \"\\\",\\\"\"", "StandbyMask \"\\\"wgBackendResponseTime\\\":\" \"});\"")
                .anySatisfy(line -> assertThat(line).startsWith("StandbyNamespaces Talk User User_talk "));
        assertThat(shipped("mediawiki").linesIfPrivate("wiki.example", 8080)).contains("$wgUseCdn = true;",
                "$wgCdnServers = [ \"127.0.0.1:8080\" ];").anySatisfy(line -> assertThat(line).contains("http://wiki.example\""));
    }

    /** With or without pages of its own, and where the site has it below a path. */
    @Test
    void whatIsPublicHasAnAllowListOfItsOwn() throws Exception {
        String open = "    public: [/media/*, /feed]\n    except: [/media/private/*]\n    parameters: [size]\n";
        WebApplication shop = Applications.parse("a.yaml", SHOP + open).find("shop").orElseThrow();
        assertThat(directives(shop, "/srv/shop")).contains("StandbyPublic 3 /media/* /feed", "StandbyExcept /media/private/*",
                "StandbyParameters size");
        assertThat(directives(shop.below("/eu"), "/srv/shop")).contains("StandbyPublic 3 /eu/media/* /eu/feed");
        assertThat(directives(shipped("wordpress"), "/srv/blog")).noneMatch(line -> line.startsWith("StandbyPublic"));
        assertThat(directives(shipped("nextcloud"), "/srv/cloud")).noneMatch(line -> line.startsWith("StandbyPublic"))
                .noneMatch(line -> line.startsWith("StandbyExcept"));
    }

    @Test
    void wordsThatMeanSomethingToHttpdAreQuotedOrRefused() {
        assertThat(HttpdLine.of("A", List.of("plain/*", "two words", "a\"b\\", "Diskussion", "Обсуждение")))
                .isEqualTo("A plain/* \"two words\" \"a\\\"b\\\\\" Diskussion \"Обсуждение\"");
        for (String wrong : List.of("${X}", "a\nb", "a\u0000")) {
            assertThatThrownBy(() -> HttpdLine.word(wrong)).isInstanceOf(IllegalArgumentException.class);
        }
    }

    /** Each directive is one that httpd takes with mod_standby. */
    @Test
    @EnabledIf("standbyBuilt")
    void httpdTakesTheLinesOfEach() throws Exception {
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-xr-x"));
        StringBuilder conf = new StringBuilder();
        new LadderLines(Optional.of("/map"), HeaderNames.NONE, false).server(Applications.shipped().all()).forEach(line -> conf.append(line).append('\n'));
        for (WebApplication each : Applications.shipped().all()) {
            Path file = directory.resolve(each.id()).resolve(each.frontController());
            Files.createDirectories(file.getParent());
            Files.writeString(file, "");
            LadderLines.directory(new LadderLines.Placed(each, directory.resolve(each.id()).toString())).forEach(line -> conf.append(line).append('\n'));
        }
        String text = conf.toString().replace("/run/ic2-standby", directory + "/store");
        try (RealHttpd httpd = RealHttpd.stock(Files.createDirectory(directory.resolve("httpd")), List.of("setenvif", "standby"), text)) {
            assertThat(httpd.page()).contains("BusyWorkers");
        }
    }

    static boolean standbyBuilt() {
        return RealHttpd.built() && Files.exists(Path.of("../build/httpd/modules/mod_standby.so"));
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
        "    public: [media]|a.yaml:6: applications.shop.public: expected a path such as /media/*, got \"media\"",
        "    session-cookies: ['a\"b']|a.yaml:6: applications.shop.session-cookies: expected a cookie's name",
        "    session-cookies: ['${X}']|expected a cookie's name",
        "    parameters: [a b]|expected a parameter's name",
        "    except: ['a b']|a.yaml:6: applications.shop.except: expected a path or value",
        "    namespaces: ['a:b']|a.yaml:6: applications.shop.namespaces: expected a word before a colon",
        "    masks: [a]|a.yaml:6: applications.shop.masks[0]: expected keys and values",
        "    masks: [{begin: '${abc}', end: x}]|applications.shop.masks[0].begin: expected 3 to 100 letters of ASCII without $",
        "    masks: [{begin: abc, end: x, more: y}]|applications.shop.masks[0].more: unknown key",
        "    shared-age: no|a.yaml:6: applications.shop.shared-age: expected one of keep, rewrite, got \"no\"",
        "    brownout: [../x]|a.yaml:6: applications.shop.brownout: expected true, false or files",
        "    root: www|a.yaml:6: applications.shop.root: expected a directory",
        "    notes: [\"a\\nb\"]|a.yaml:6: applications.shop.notes: expected a line of text",
        "  Shop: {name: x}|a.yaml:6: applications.Shop: expected small letters",
        "  other: {name: x}|a.yaml:6: applications.other.front-controller: missing",
        "  other: {name: x, front-controller: ../x}|applications.other.front-controller: expected a file below the root",
        "further: 1|a.yaml:6: further: unknown key"})
    void errorsNameTheirPlace(String line, String error) {
        assertThatThrownBy(() -> Applications.parse("a.yaml", SHOP + line + "\n"))
                .isInstanceOf(ConfigException.class).hasMessageContaining(error);
    }

    @Test
    void anotherFormatIsRefused() {
        assertThatThrownBy(() -> Applications.parse("a.yaml", SHOP.replace("format: 1", "format: 2"))).hasMessageContaining("a.yaml:1: format");
        assertThatThrownBy(() -> Applications.parse("a.yaml", "")).hasMessageContaining("a.yaml:1");
    }
}
