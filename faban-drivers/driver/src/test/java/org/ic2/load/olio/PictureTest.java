// SPDX-License-Identifier: Apache-2.0
package org.ic2.load.olio;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.util.Random;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.Test;

class PictureTest {
    @Test
    void isAPicture() throws Exception {
        byte[] png = Picture.png(96, new Random(1));
        var image = ImageIO.read(new ByteArrayInputStream(png));
        assertThat(image.getWidth()).isEqualTo(96);
        assertThat(image.getHeight()).isEqualTo(96);
        assertThat(png.length).isBetween(20_000, 60_000);
    }

    @Test
    void isRepeatable() {
        assertThat(Picture.png(16, new Random(3))).isEqualTo(Picture.png(16, new Random(3)));
    }
}
