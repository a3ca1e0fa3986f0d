// SPDX-License-Identifier: Apache-2.0
package org.ic2.load.olio;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import java.util.zip.CRC32;
import java.util.zip.Deflater;

/** What is uploaded: a PNG of coloured noise, made without Java's imaging code (which would cost 20 MB). */
final class Picture {
    private static final int BYTES_PER_PIXEL = 3;

    private Picture() {
    }

    /**
     * Draws one.
     *
     * @param side   width and height, pixels
     * @param random where the noise comes from
     */
    static byte[] png(int side, Random random) {
        int row = 1 + side * BYTES_PER_PIXEL;
        byte[] pixels = new byte[side * row];
        random.nextBytes(pixels);
        for (int y = 0; y < side; y++) {
            pixels[y * row] = 0;
        }
        ByteArrayOutputStream out = new ByteArrayOutputStream(pixels.length + 128);
        out.writeBytes(new byte[] {(byte) 0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'});
        ByteBuffer header = ByteBuffer.allocate(13).putInt(side).putInt(side);
        header.put((byte) 8).put((byte) 2).put((byte) 0).put((byte) 0).put((byte) 0);
        chunk(out, "IHDR", header.array(), 13);
        byte[] packed = new byte[pixels.length + 64 + pixels.length / 1000];
        Deflater deflater = new Deflater(Deflater.BEST_SPEED);
        deflater.setInput(pixels);
        deflater.finish();
        int n = deflater.deflate(packed);
        deflater.end();
        chunk(out, "IDAT", packed, n);
        chunk(out, "IEND", new byte[0], 0);
        return out.toByteArray();
    }

    /** A document of noise, for which its first line says that it is a PDF. */
    static byte[] pdf(int bytes, Random random) {
        byte[] document = new byte[bytes];
        random.nextBytes(document);
        byte[] first = "%PDF-1.4\n".getBytes(StandardCharsets.US_ASCII);
        System.arraycopy(first, 0, document, 0, first.length);
        return document;
    }

    private static void chunk(ByteArrayOutputStream out, String type, byte[] data, int length) {
        byte[] name = type.getBytes(StandardCharsets.US_ASCII);
        CRC32 crc = new CRC32();
        crc.update(name);
        crc.update(data, 0, length);
        out.writeBytes(ByteBuffer.allocate(4).putInt(length).array());
        out.writeBytes(name);
        out.write(data, 0, length);
        out.writeBytes(ByteBuffer.allocate(4).putInt((int) crc.getValue()).array());
    }
}
