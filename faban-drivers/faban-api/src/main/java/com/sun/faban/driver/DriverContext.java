// SPDX-License-Identifier: Apache-2.0
package com.sun.faban.driver;

import java.util.logging.Logger;
import javax.xml.xpath.XPathExpressionException;

/**
 * What a driver instance may ask its runtime for. A runtime binds one context to each user's thread.
 *
 * <p>Only the methods that our driver uses are declared here; a real Faban has more.
 */
public abstract class DriverContext {
    /** The API is a static accessor, so the binding has to live here; it is one per thread. */
    private static final ThreadLocal<DriverContext> BOUND = new ThreadLocal<>();

    /** For runtimes only. */
    protected DriverContext() {
    }

    /**
     * The context of the calling thread.
     *
     * @return the context, or null on a thread that is no user's
     */
    public static DriverContext getContext() {
        return BOUND.get();
    }

    /** Binds this context to the calling thread. For runtimes only. */
    protected final void bind() {
        BOUND.set(this);
    }

    /** Takes this context away from the calling thread. For runtimes only. */
    protected final void unbind() {
        BOUND.remove();
    }

    /** Notes the start of an operation at the first call, its end at the second. */
    public abstract void recordTime();

    /**
     * The scale of the run.
     *
     * @return the number given in {@code fa:scale}
     */
    public abstract int getScale();

    /**
     * The number of the user.
     *
     * @return 0 .. users - 1
     */
    public abstract int getThreadId();

    /**
     * A logger that tells the user's number.
     *
     * @return the logger
     */
    public abstract Logger getLogger();

    /**
     * A value of the run configuration. The prefixes fa, fh and fd stand for Faban's namespaces.
     *
     * @param xPath path of the value, for example {@code /olio/serverConfig/host}
     * @return the text found, empty when there is none
     * @throws XPathExpressionException when the path is none
     */
    public abstract String getXPathValue(String xPath) throws XPathExpressionException;
}
