// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.report;

import java.util.List;

/** A self-contained HTML page, built from top to bottom. */
public final class Html {
    private static final String STYLE = """
            body { font: 15px/1.5 system-ui, sans-serif; color: #1d2733; max-width: 80rem; margin: 2rem auto; padding: 0 1rem; }
            h1 { font-size: 1.6rem; } p { max-width: 62rem; } h2 { font-size: 1.2rem; margin-top: 2.2rem; border-bottom: 1px solid #d5dbe3; }
            table { border-collapse: collapse; margin: .8rem 0; font-size: .86em; }
            th, td { padding: .25rem .5rem; border-bottom: 1px solid #e3e8ee; text-align: right; vertical-align: top; }
            th:first-child, td:first-child, td:nth-child(2):last-child, th:nth-child(2):last-child { text-align: left; }
            th { background: #f3f5f8; } .good { color: #17703a; } .bad { color: #a32319; }
            figure { margin: 1rem 0; overflow-x: auto; } figcaption { color: #4b5a6b; font-size: .92em; max-width: 56rem; }
            .lead { font-size: 1.1em; background: #f3f5f8; padding: .8rem 1rem; border-left: 4px solid #4472a8; }
            pre { background: #f3f5f8; padding: .6rem .8rem; overflow-x: auto; } details { margin: .25rem 0; }
            details:target { background: #fdf3d8; } summary { cursor: pointer; } details p { margin: .3rem 1.2rem; color: #4b5a6b; }
            .scroll { overflow-x: auto; }
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
        body.append("<pre>").append(escaped(text)).append("</pre>\n");
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
        body.append("<figure>\n").append(svg).append("<figcaption>").append(escaped(caption))
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
        body.append("<div class=\"scroll\"><table>\n<tr>");
        head.forEach(cell -> body.append("<th>").append(escaped(cell)).append("</th>"));
        body.append("</tr>\n");
        for (List<String> row : rows) {
            body.append("<tr>");
            row.forEach(this::cell);
            body.append("</tr>\n");
        }
        body.append("</table></div>\n");
        return this;
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
                + "</style>\n</head>\n<body>\n" + body + (body.indexOf("<details ") < 0 ? "" : SCRIPT) + "</body>\n</html>\n";
    }
}
