// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.report;

import java.util.List;
import java.util.Map;

/** A self-contained HTML page, built from top to bottom. */
public final class Html {
    /** The pictures bring their colours along for files of their own; here the page has a say in the dark. */
    private static final String STYLE = """
            :root { color-scheme: light dark; --ink: #1d2733; --paper: #fff; --soft: #f3f5f8; --line: #d5dbe3; --dim: #4b5a6b;
              --good: #17703a; --bad: #a32319; --bar: #4472a8; --found: #fdf3d8; }
            @media (prefers-color-scheme: dark) {
              :root { --ink: #dde4ec; --paper: #14191f; --soft: #1f2731; --line: #37424e; --dim: #a9b6c4;
                --good: #6fcf97; --bad: #ff9a8f; --bar: #7fa8d9; --found: #3d3518; }
              .grid { stroke: #2c3641; } .axis, .level { stroke: #93a4b5; } .interference { fill: #40241f; } .stretch { fill: #262f39; }
            }
            body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); max-width: 80rem; margin: 2rem auto;
              padding: 0 1rem; overflow-wrap: break-word; }
            h1 { font-size: 1.6rem; } p { max-width: 62rem; } h2 { font-size: 1.2rem; margin-top: 2.2rem; border-bottom: 1px solid var(--line); }
            table { border-collapse: collapse; margin: .8rem 0; font-size: .86em; }
            th, td { padding: .25rem .5rem; border-bottom: 1px solid var(--line); text-align: right; vertical-align: top; }
            th:first-child, td:first-child, td:nth-child(2):last-child, th:nth-child(2):last-child { text-align: left; }
            td { white-space: nowrap; } td:last-child, td:nth-last-child(2):first-child { white-space: normal; }
            td:nth-child(2):last-child { overflow-wrap: anywhere; }
            th { background: var(--soft); } .good { color: var(--good); } .bad { color: var(--bad); }
            figure { margin: 1rem 0; } figcaption { color: var(--dim); font-size: .92em; max-width: 56rem; }
            .lead { font-size: 1.1em; background: var(--soft); padding: .8rem 1rem; border-left: 4px solid var(--bar); }
            dl.lead { display: grid; grid-template-columns: max-content 1fr; gap: .2rem 1.2rem; } dt { font-weight: 600; } dd { margin: 0; grid-column: 2; }
            h3 { font-size: 1.05rem; margin-top: 1.8rem; }
            pre { background: var(--soft); padding: .6rem .8rem; overflow-x: auto; } details { margin: .25rem 0; overflow-wrap: anywhere; }
            details:target { background: var(--found); } summary { cursor: pointer; } details p { margin: .3rem 1.2rem; color: var(--dim); }
            .scroll { overflow-x: auto; background: linear-gradient(to right, var(--paper) 30%, transparent), linear-gradient(to left, var(--paper) 30%, transparent) 100% 0,
              linear-gradient(to right, var(--line), transparent), linear-gradient(to left, var(--line), transparent) 100% 0;
              background-size: 3rem 100%, 3rem 100%, 1rem 100%, 1rem 100%; background-repeat: no-repeat; background-attachment: local, local, scroll, scroll; }
            .scroll > * { mix-blend-mode: multiply; }
            @media (prefers-color-scheme: dark) { .scroll > * { mix-blend-mode: lighten; } }
            @media (max-width: 40rem) { th { white-space: nowrap; } dl.lead { display: block; } dd + dt { margin-top: .5rem; } }
            svg text { fill: currentColor; } svg text.ink { fill: #1d2733; }
            """;

    /** A link to a closed element opens it. */
    private static final String SCRIPT = """
            <script>
            function show() {
              const one = document.getElementById(location.hash.slice(1));
              if (one && one.tagName === 'DETAILS') { one.open = true; one.scrollIntoView({block: 'center'}); }
            }
            addEventListener('hashchange', show); show();
            </script>
            """;

    private static final int MAX_UNBROKEN_CELL = 30;

    private final StringBuilder body = new StringBuilder();
    private final String title;

    /** A page with this title. */
    public Html(String title) {
        this.title = title;
        body.append("<h1>").append(escaped(title)).append("</h1>\n");
    }

    /** Text as HTML. */
    public static String escaped(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("\"", "&quot;");
    }

    /** The sentence that matters most. */
    public Html lead(String text) {
        body.append("<p class=\"lead\">").append(escaped(text)).append("</p>\n");
        return this;
    }

    /** What matters most, in short lines with a label each. */
    public Html lead(Map<String, List<String>> lines) {
        body.append("<dl class=\"lead\">\n");
        lines.forEach((label, texts) -> {
            body.append("<dt>").append(escaped(label)).append("</dt>");
            texts.forEach(text -> body.append("<dd>").append(escaped(text)).append("</dd>\n"));
        });
        body.append("</dl>\n");
        return this;
    }

    /** Begins a part of a section. */
    public Html part(String heading) {
        body.append("<h3>").append(escaped(heading)).append("</h3>\n");
        return this;
    }

    /** Begins a section. */
    public Html section(String heading) {
        body.append("<h2>").append(escaped(heading)).append("</h2>\n");
        return this;
    }

    /** A paragraph. */
    public Html text(String text) {
        body.append("<p>").append(escaped(text)).append("</p>\n");
        return this;
    }

    /** Text as it is typed. */
    public Html verbatim(String text) {
        body.append("<pre tabindex=\"0\">").append(escaped(text)).append("</pre>\n");
        return this;
    }

    /**
     * Text that is only shown on demand, and when a link leads to it.
     *
     * @param id      what a link names, unique in the page
     * @param summary what is always shown
     */
    public Html details(String id, String summary, String text) {
        body.append("<details id=\"").append(escaped(id)).append("\"><summary>").append(escaped(summary)).append("</summary><p>")
                .append(escaped(text).replace("\n", "<br>")).append("</p></details>\n");
        return this;
    }

    /** A picture with the words that explain it. */
    public Html figure(String svg, String caption) {
        body.append("<figure>\n").append(scroll(caption)).append(svg).append("</div><figcaption>").append(escaped(caption))
                .append("</figcaption>\n</figure>\n");
        return this;
    }

    /**
     * A table. A cell that begins with {@code +} is shown as good, one with {@code !} as bad, one with {@code =} as
     * neither; the sign is not shown.
     *
     * @param head the headings
     * @param rows the cells
     */
    public Html table(List<String> head, List<List<String>> rows) {
        body.append(scroll(String.join(", ", head))).append("<table>\n<tr>");
        head.forEach(cell -> body.append("<th scope=\"col\">").append(escaped(cell)).append("</th>"));
        body.append("</tr>\n");
        for (List<String> row : rows) {
            body.append("<tr>");
            row.forEach(this::cell);
            body.append("</tr>\n");
        }
        body.append("</table></div>\n");
        return this;
    }

    /** A table with its heading, how to read it, and its notes. Cells that are short are not broken into lines. */
    public Html table(Table table) {
        part(table.title()).text(table.text()).table(table.head(), table.rows().stream().map(row -> row.stream()
                .map(cell -> cell.length() > MAX_UNBROKEN_CELL ? cell : cell.replace(' ', '\u00a0')).toList()).toList());
        table.notes().forEach(this::text);
        return this;
    }

    /** Content wider than the window scrolls by itself, by the keyboard too. Shadows at its edges show that, also over coloured cells. */
    private static String scroll(String label) {
        return "<div class=\"scroll\" role=\"group\" tabindex=\"0\" aria-label=\"" + escaped(label) + "\">";
    }

    private void cell(String text) {
        String judged = text.startsWith("+") ? " class=\"good\"" : text.startsWith("!") ? " class=\"bad\"" : "";
        boolean signed = !judged.isEmpty() || text.startsWith("=");
        body.append("<td").append(judged).append('>').append(escaped(signed ? text.substring(1) : text))
                .append("</td>");
    }

    /** The whole file. */
    public String page() {
        return "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" "
                + "content=\"width=device-width\">\n<title>" + escaped(title) + "</title>\n<style>\n" + STYLE
                + "</style>\n</head>\n<body>\n<main>\n" + body + "</main>\n" + (body.indexOf("<details ") < 0 ? "" : SCRIPT) + "</body>\n</html>\n";
    }
}
