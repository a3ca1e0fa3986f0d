// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.daemon;

import java.lang.reflect.Proxy;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * SIGHUP and others. Java's only way to them is {@code sun.misc.Signal} of the module jdk.unsupported, reached by reflection because
 * the compiler warns of it in a way that cannot be switched off.
 */
public final class Signals {

    private static final Logger LOG = Logger.getLogger(Signals.class.getName());

    private Signals() {
    }

    /** Calls {@code action} at each SIGHUP; without the module the signal has its default effect, and that is logged. */
    public static void onHangup(Runnable action) {
        try {
            on("HUP", action);
        } catch (ReflectiveOperationException e) {
            LOG.log(Level.WARNING, "no SIGHUP in this Java runtime; restart the agent to read the configuration again", e);
        }
    }

    /**
     * Calls {@code action} at each signal of this name, such as WINCH, in a thread of its own.
     *
     * @throws ReflectiveOperationException without the module; the signal keeps its effect then
     */
    public static void on(String name, Runnable action) throws ReflectiveOperationException {
        Class<?> signal = Class.forName("sun.misc.Signal");
        Class<?> handler = Class.forName("sun.misc.SignalHandler");
        Object proxy = Proxy.newProxyInstance(Signals.class.getClassLoader(), new Class<?>[] {handler},
                (self, method, arguments) -> {
                    if (method.getName().equals("handle")) {
                        action.run();
                        return null;
                    }
                    return method.getName().equals("hashCode") ? (Object) System.identityHashCode(self)
                            : method.getName().equals("equals") ? (Object) (self == arguments[0]) : name;
                });
        signal.getMethod("handle", signal, handler)
                .invoke(null, signal.getConstructor(String.class).newInstance(name), proxy);
    }
}
