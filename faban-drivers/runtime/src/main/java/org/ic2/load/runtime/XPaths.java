// SPDX-License-Identifier: Apache-2.0
package org.ic2.load.runtime;

import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import javax.xml.XMLConstants;
import javax.xml.namespace.NamespaceContext;
import javax.xml.xpath.XPathExpressionException;
import javax.xml.xpath.XPathFactory;
import org.w3c.dom.Document;
import org.w3c.dom.Node;

/** Answers the drivers' XPath questions. Every user asks the same, so answers are kept. Safe for all threads. */
final class XPaths {
    private final Document document;
    private final Map<String, String> answers = new HashMap<>();

    XPaths(Document document) {
        this.document = document;
    }

    /** Sets the text of an element without namespace at a path below the root, as if the file had said so. */
    synchronized void override(String path, String text) {
        Node element = document.getDocumentElement();
        for (String name : path.split("/")) {
            element = child(element, name);
        }
        element.setTextContent(text);
        answers.clear();
    }

    private Node child(Node parent, String name) {
        for (var node = parent.getFirstChild(); node != null; node = node.getNextSibling()) {
            if (node.getNamespaceURI() == null && name.equals(node.getLocalName())) {
                return node;
            }
        }
        return parent.appendChild(document.createElementNS(null, name));
    }

    /**
     * The text at a path; the prefixes fa, fh and fd are Faban's.
     *
     * @return the text, empty when there is none
     * @throws XPathExpressionException when the path is no XPath
     */
    synchronized String text(String path) throws XPathExpressionException {
        String answer = answers.get(path);
        if (answer == null) {
            answer = evaluate(path);
            answers.put(path, answer);
        }
        return answer;
    }

    private String evaluate(String path) throws XPathExpressionException {
        var xPath = XPathFactory.newInstance().newXPath();
        xPath.setNamespaceContext(new FabanPrefixes());
        return xPath.evaluate(path, document);
    }

    private static final class FabanPrefixes implements NamespaceContext {
        @Override
        public String getNamespaceURI(String prefix) {
            return switch (prefix) {
                case "fa" -> RunConfigReader.FA;
                case "fh" -> RunConfigReader.FH;
                case "fd" -> RunConfigReader.FD;
                default -> XMLConstants.NULL_NS_URI;
            };
        }

        @Override
        public String getPrefix(String uri) {
            throw new UnsupportedOperationException("only prefixes are looked up");
        }

        @Override
        public Iterator<String> getPrefixes(String uri) {
            throw new UnsupportedOperationException("only prefixes are looked up");
        }
    }
}
