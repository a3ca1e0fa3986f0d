// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.init;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.ic2.agent.application.WebApplication;
import org.ic2.runtime.host.BoundedText;

/**
 * What a wiki calls its namespaces, as MediaWiki's api.php tells it. Immutable.
 *
 * @param content  names of those that hold pages (numbers from 0 on), spaces as underscores
 * @param others   names of those that hold none, Special and Media in the site's language and in English
 * @param unusable names of the first kind that cannot stand in httpd's configuration: their pages are not stored
 */
record SiteNamespaces(List<String> content, List<String> others, List<String> unusable) {

    /** What is asked for, behind the name of the file. */
    static final String QUERY = "?action=query&meta=siteinfo&siprop=general%7Cnamespaces%7Cnamespacealiases&format=json&formatversion=2";

    private static final int MOST = 1000;

    /**
     * Reads an answer of the API.
     *
     * @throws IOException in one line, when it is none
     */
    static SiteNamespaces parse(String json) throws IOException {
        JsonNode query;
        try {
            query = new JsonMapper().readTree(json).path("query");
        } catch (JsonProcessingException e) {
            throw new IOException("expected JSON, got \"" + BoundedText.brief(json) + "\"", e);
        }
        Set<String> content = new LinkedHashSet<>();
        Set<String> others = new LinkedHashSet<>();
        Set<String> unusable = new LinkedHashSet<>();
        List<JsonNode> all = new ArrayList<>();
        query.path("namespaces").elements().forEachRemaining(all::add);
        query.path("namespacealiases").elements().forEachRemaining(all::add);
        for (JsonNode namespace : all.subList(0, Math.min(MOST, all.size()))) {
            for (String key : List.of("name", "canonical", "alias", "*")) {
                String name = namespace.path(key).asText("").replace(' ', '_');
                if (!name.isEmpty() && namespace.path("id").isInt()) {
                    boolean usable = WebApplication.isNamespace(name);
                    (namespace.path("id").asInt() < 0 ? usable ? others : unusable : usable ? content : unusable).add(name);
                }
            }
        }
        content.removeAll(others);
        if (content.isEmpty() || others.isEmpty()) {
            throw new IOException("expected the namespaces of a wiki, got \"" + BoundedText.brief(json) + "\"");
        }
        return new SiteNamespaces(List.copyOf(content), List.copyOf(others), List.copyOf(unusable));
    }

    /** Patterns of pages that are never stored. */
    List<String> exceptions() {
        List<String> patterns = new ArrayList<>();
        others.forEach(name -> patterns.addAll(List.of(name + ":*", "*/" + name + ":*")));
        return patterns;
    }
}
