// SPDX-License-Identifier: Apache-2.0
package org.ic2.load.runtime;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import javax.xml.XMLConstants;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import javax.xml.parsers.SAXParserFactory;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.Node;
import org.xml.sax.Attributes;
import org.xml.sax.Locator;
import org.xml.sax.SAXException;
import org.xml.sax.SAXParseException;
import org.xml.sax.helpers.DefaultHandler;

/** Parses XML into a document whose elements know their line, so that errors can name it. Refuses document types. */
final class LocatedXml {
    private static final String LINE = "line";

    private LocatedXml() {
    }

    static Document parse(Path file) throws ConfigError {
        try (InputStream in = Files.newInputStream(file)) {
            Document document = DocumentBuilderFactory.newInstance().newDocumentBuilder().newDocument();
            SAXParserFactory factory = SAXParserFactory.newInstance();
            factory.setNamespaceAware(true);
            factory.setFeature(XMLConstants.FEATURE_SECURE_PROCESSING, true);
            factory.setFeature("http://apache.org/xml/features/disallow-doctype-decl", true);
            factory.newSAXParser().parse(in, new Builder(document));
            return document;
        } catch (SAXParseException e) {
            throw new ConfigError(file + ":" + e.getLineNumber() + ": expected well-formed XML: " + e.getMessage(), e);
        } catch (SAXException | ParserConfigurationException | IOException e) {
            throw new ConfigError(file + ": expected a readable XML file: " + e, e);
        }
    }

    /** Line of an element's start tag, 1 for the first; 0 for one that was added later. */
    static int line(Element element) {
        Object line = element.getUserData(LINE);
        return line == null ? 0 : (Integer) line;
    }

    private static final class Builder extends DefaultHandler {
        private final Document document;
        private final Deque<Node> open = new ArrayDeque<>();
        private Locator locator;

        Builder(Document document) {
            this.document = document;
            open.push(document);
        }

        @Override
        public void setDocumentLocator(Locator where) {
            locator = where;
        }

        @Override
        public void startElement(String uri, String local, String qualified, Attributes attributes) {
            Element element = document.createElementNS(uri.isEmpty() ? null : uri, qualified);
            element.setUserData(LINE, locator.getLineNumber(), null);
            for (int i = 0; i < attributes.getLength(); i++) {
                String space = attributes.getURI(i);
                element.setAttributeNS(space.isEmpty() ? null : space, attributes.getQName(i), attributes.getValue(i));
            }
            open.peek().appendChild(element);
            open.push(element);
        }

        @Override
        public void endElement(String uri, String local, String qualified) {
            open.pop();
        }

        @Override
        public void characters(char[] text, int start, int length) {
            if (open.peek() != document) {
                open.peek().appendChild(document.createTextNode(new String(text, start, length)));
            }
        }

        @Override
        public void error(SAXParseException e) throws SAXException {
            throw e;
        }
    }
}
