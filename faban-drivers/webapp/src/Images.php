<?php
// SPDX-License-Identifier: Apache-2.0
declare(strict_types=1);

namespace Olio;

/** Uploaded pictures: checked, decoded, scaled and stored as a new JPEG, so that nothing else survives in them. */
final class Images
{
    /** number of pictures of each kind that the installation makes */
    public const SEEDED = 64;
    public const WIDTH = 480;
    public const HEIGHT = 300;
    private const MAX_BYTES = 1 << 20;
    private const MAX_PIXELS = 8_000_000;
    private const QUALITY = 78;
    private const READERS = [
        IMAGETYPE_JPEG => 'imagecreatefromjpeg',
        IMAGETYPE_PNG => 'imagecreatefrompng',
        IMAGETYPE_GIF => 'imagecreatefromgif',
    ];

    /** @param string $folder absolute path of the folder of uploaded pictures; for answer(), of all pictures */
    public function __construct(private readonly string $folder)
    {
    }

    /**
     * @param array{tmp_name: string, error: int, size: int}|null $file
     * @return array{path: string, error: string} the path below /media/ ('' if nothing was sent), or what is wrong
     */
    public function store(?array $file): array
    {
        if ($file === null || $file['error'] === UPLOAD_ERR_NO_FILE) {
            return ['path' => '', 'error' => ''];
        }
        if (in_array($file['error'], [UPLOAD_ERR_INI_SIZE, UPLOAD_ERR_FORM_SIZE], true) || $file['size'] > self::MAX_BYTES) {
            return ['path' => '', 'error' => 'The image has more than 1 MiB.'];
        }
        if ($file['error'] !== UPLOAD_ERR_OK || !is_uploaded_file($file['tmp_name'])) {
            return ['path' => '', 'error' => 'The image did not arrive completely. Please send it again.'];
        }
        $image = self::read($file['tmp_name']);
        if ($image === null) {
            return ['path' => '', 'error' => 'The image has to be a JPEG, PNG or GIF of at most 8 megapixels.'];
        }
        $name = bin2hex(random_bytes(16)) . '.jpg';
        self::write(self::cover($image), "$this->folder/$name");
        return ['path' => "up/$name", 'error' => ''];
    }

    /** A seeded or uploaded picture, for a web server that leaves them to the application; null if the path is none. */
    public function answer(string $path): ?Response
    {
        $name = preg_match('~^/media/((?:event|person)/\d{1,2}|up/[0-9a-f]{32})\.jpg$~D', $path, $match) === 1 ? $match[1] : '';
        $content = $name === '' ? false : @file_get_contents("$this->folder/$name.jpg");
        return $content === false ? null : (new Response(200, $content))->with('Content-Type', 'image/jpeg')
            ->with('Content-Length', (string) strlen($content))->with('Cache-Control', 'public, max-age=86400')->withoutVary();
    }

    /** Takes a stored picture away again. */
    public function remove(string $path): void
    {
        if ($path !== '') {
            unlink($this->folder . '/' . basename($path));
        }
    }

    private static function read(string $file): ?\GdImage
    {
        $info = @getimagesize($file);
        $reader = self::READERS[$info[2] ?? 0] ?? null;
        if ($reader === null || $info[0] < 1 || $info[1] < 1 || $info[0] * $info[1] > self::MAX_PIXELS) {
            return null;
        }
        return @$reader($file) ?: null;
    }

    /** The middle of the picture in the shape of the cards, on white where it is transparent. */
    private static function cover(\GdImage $image): \GdImage
    {
        [$width, $height] = [imagesx($image), imagesy($image)];
        $scale = max(self::WIDTH / $width, self::HEIGHT / $height);
        [$cutWidth, $cutHeight] = [max(1, (int) (self::WIDTH / $scale)), max(1, (int) (self::HEIGHT / $scale))];
        $result = imagecreatetruecolor(self::WIDTH, self::HEIGHT);
        imagefill($result, 0, 0, imagecolorallocate($result, 255, 255, 255));
        $left = intdiv($width - $cutWidth, 2);
        $top = intdiv($height - $cutHeight, 2);
        imagecopyresampled($result, $image, 0, 0, $left, $top, self::WIDTH, self::HEIGHT, $cutWidth, $cutHeight);
        return $result;
    }

    private static function write(\GdImage $image, string $file): void
    {
        // written aside and renamed: no reader sees half a picture
        if (!imagejpeg($image, "$file.part", self::QUALITY) || !rename("$file.part", $file)) {
            throw new \RuntimeException("$file: the picture could not be stored; is the folder writable for php-fpm's user?");
        }
    }
}
