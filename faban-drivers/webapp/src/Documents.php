<?php
// SPDX-License-Identifier: Apache-2.0
declare(strict_types=1);

namespace Olio;

/** Uploaded documents of events (PDF): kept unchanged, and not served. */
final class Documents
{
    private const MAX_BYTES = 1 << 20;
    private const BEGIN = '%PDF-';

    /** @param string $folder absolute path of the folder of uploads */
    public function __construct(private readonly string $folder)
    {
    }

    /**
     * @param array{tmp_name: string, error: int, size: int}|null $file
     * @return string what is wrong, or ''
     */
    public function store(?array $file): string
    {
        if ($file === null || $file['error'] === UPLOAD_ERR_NO_FILE) {
            return '';
        }
        if (in_array($file['error'], [UPLOAD_ERR_INI_SIZE, UPLOAD_ERR_FORM_SIZE], true) || $file['size'] > self::MAX_BYTES) {
            return 'The document has more than 1 MiB.';
        }
        if ($file['error'] !== UPLOAD_ERR_OK || !is_uploaded_file($file['tmp_name'])) {
            return 'The document did not arrive completely. Please send it again.';
        }
        if (file_get_contents($file['tmp_name'], false, null, 0, strlen(self::BEGIN)) !== self::BEGIN) {
            return 'The document has to be a PDF.';
        }
        $target = $this->folder . '/' . bin2hex(random_bytes(16)) . '.pdf';
        return move_uploaded_file($file['tmp_name'], $target) ? ''
            : throw new \RuntimeException("$target: the document could not be stored; is the folder writable for php-fpm's user?");
    }
}
