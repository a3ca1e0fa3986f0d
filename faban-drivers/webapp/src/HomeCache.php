<?php
// SPDX-License-Identifier: Apache-2.0
declare(strict_types=1);

namespace Olio;

/**
 * What all visitors see alike on the home page, kept for some seconds, as the original Olio keeps it in memcached. A file that
 * stays in the system's page cache does the same for one server, and needs no further service and no further extension of PHP.
 */
final class HomeCache
{
    /** Chosen: it is not known how long the original keeps it. */
    private const SECONDS = 10;

    /** @param string $file absolute path, in a folder that php-fpm's user may write */
    public function __construct(private readonly string $file)
    {
    }

    /**
     * What is kept, or, when it is too old, what $build returns. While one request builds, the others get the old one.
     *
     * @param callable(): array<string, mixed> $build
     * @return array<string, mixed>
     */
    public function get(callable $build): array
    {
        $kept = @file_get_contents($this->file);
        $age = $kept === false ? INF : time() - (int) @filemtime($this->file);
        if ($kept !== false && ($age < self::SECONDS || !$this->claim())) {
            return unserialize($kept, ['allowed_classes' => [Calendar::class]]);
        }
        $built = $build();
        $new = $this->file . '.' . getmypid();
        // written aside and renamed: no reader sees half of it
        if (file_put_contents($new, serialize($built)) === false || !rename($new, $this->file)) {
            throw new \RuntimeException("$this->file: cannot be written; is the folder writable for php-fpm's user?");
        }
        return $built;
    }

    /** Whether this request is the one that builds: the others see a young file from now on. */
    private function claim(): bool
    {
        $lock = fopen($this->file . '.lock', 'c');
        $ours = $lock !== false && flock($lock, LOCK_EX | LOCK_NB);
        clearstatcache(true, $this->file);
        return $ours && time() - (int) @filemtime($this->file) >= self::SECONDS && touch($this->file);
    }
}
