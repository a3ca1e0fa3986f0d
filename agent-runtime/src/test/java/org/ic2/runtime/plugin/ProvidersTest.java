// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.plugin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class ProvidersTest {
    /** What there are types of. */
    interface Shape {
    }

    /** A service with one provider in this jar. */
    public interface ShapeProvider extends Shape {
        String name();
    }

    /** Found by its line below {@code META-INF/services}. */
    public static final class Circle implements ShapeProvider {
        @Override
        public String name() {
            return "circle";
        }
    }

    /** A service whose line names a class that is not there. */
    public interface BrokenProvider extends Shape {
        String name();
    }

    @Test
    void plugInsOfAnotherJarAreAddedToTheBuiltIn() {
        Map<String, Shape> types = new TreeMap<>(Map.of("square", new Shape() { }));
        Providers.addTo(types, ShapeProvider.class, ShapeProvider::name);
        assertThat(types).containsOnlyKeys("circle", "square");
        assertThat(types.get("circle")).isInstanceOf(Circle.class);
    }

    @Test
    void aNameThatIsTakenAndAClassThatIsMissingAreNamed() {
        Map<String, Shape> types = new TreeMap<>(Map.of("circle", new Shape() { }));
        assertThatThrownBy(() -> Providers.addTo(types, ShapeProvider.class, ShapeProvider::name))
                .hasMessageContaining("Circle: the type \"circle\" is taken; choose another name");
        assertThatThrownBy(() -> Providers.addTo(types, BrokenProvider.class, BrokenProvider::name))
                .hasMessageContaining("org.ic2.Missing").hasMessageContaining("take it off the class path");
    }
}
