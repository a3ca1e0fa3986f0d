<?php
// SPDX-License-Identifier: Apache-2.0
declare(strict_types=1);

/**
 * Parts of a page "as of a minute ago", for members too. On mitigation levels below the first one that has an age, a part is built
 * and stored; from there on a stored one is served while it is young enough. PHP 8.0 or newer and APCu, or another store.
 *
 *     require 'standby-parts.php';
 *     echo standby_part("recommendations:$event", fn () => recommendations($event));      // the same for everybody: you declare it
 *     echo standby_part('basket', fn () => basket($user), private: true);                 // this user's own
 *
 * A key without the user is public: name in it all that the part depends on, such as language and role. Whoever has just sent a
 * form (cookie ic2_fresh, which mod_standby sets) gets parts built, and so does who is not logged in: a page that a cache stores
 * would be as old as the cache and the part together.
 */

namespace Ic2 {

    /** Where parts are kept, for how long, and for whom. */
    final class StandbyParts
    {
        /** Seconds that a part may be old, by the first level of which that is true; those of mod_standby. */
        public const AGES = [3 => 60, 4 => 300];
        private const LEVEL = 'MITIGATION';
        private const FRESH = 'ic2_fresh';

        private static ?self $shared = null;

        /** @var array<int, float> when the parts that are being built began, by number; what holds a stored one is as old as that */
        private static array $begun = [];
        private static int $last = 0;

        /** @var callable(): ?string */
        private $user;

        /**
         * @param object|null           $store of PSR-16 or PSR-6, or one of Ic2\ApcuParts and Ic2\FileParts; null: APCu, or nothing is stored
         * @param array<int, int>       $ages  seconds by level; at levels below the first, parts are built
         * @param (callable(): ?string)|null $user  who is logged in, for private parts; null or '': nobody. By default the session's id
         * @param array<string, mixed>|null $server in place of $_SERVER
         * @param array<string, mixed>|null $cookies in place of $_COOKIE
         * @param string|null               $prefix of the names in the store; null: of this very file, as APCu is shared by all applications
         * @param bool                      $everybody serve stored parts to who is not logged in too: for sites without a cache of pages
         */
        public function __construct(private ?object $store = null, private array $ages = self::AGES, ?callable $user = null,
            private ?array $server = null, private ?array $cookies = null, private ?string $prefix = null, private bool $everybody = false)
        {
            foreach ($ages as $level => $seconds) {
                if (!is_int($level) || $level < 0 || !is_int($seconds) || $seconds < 1) {
                    throw new \InvalidArgumentException("standby_part: ages: expected level => seconds such as 3 => 60, got $level => "
                        . var_export($seconds, true));
                }
            }
            ksort($this->ages);
            if ($store !== null && !is_callable([$store, 'getItem']) && !(is_callable([$store, 'get']) && is_callable([$store, 'set']))) {
                throw new \InvalidArgumentException('standby_part: store: expected a cache of PSR-16 or PSR-6, got ' . $store::class);
            }
            $this->store ??= ApcuParts::available() ? new ApcuParts() : null;
            $this->prefix ??= 'standby-' . substr(hash('sha256', __FILE__), 0, 12);
            $this->user = $user ?? static fn (): ?string => session_status() === PHP_SESSION_ACTIVE ? (string) session_id() : null;
        }

        /** The one that standby_part() uses. */
        public static function shared(?self $other = null): self
        {
            return self::$shared = $other ?? self::$shared ?? new self();
        }

        /** The mitigation level of this request, 0 if httpd tells none. */
        public function level(): int
        {
            $server = $this->server ?? $_SERVER;
            $level = $server[self::LEVEL] ?? $server['REDIRECT_' . self::LEVEL] ?? '0';
            return is_string($level) && preg_match('/^\d{1,5}$/D', $level) === 1 ? (int) $level : 0;
        }

        /** Seconds that a part may be old on this level, 0: it is built. */
        public function age(): int
        {
            $age = 0;
            foreach ($this->ages as $level => $seconds) {
                $age = $level <= $this->level() ? $seconds : $age;
            }
            return isset(($this->cookies ?? $_COOKIE)[self::FRESH]) || $age > 0 && !$this->everybody && (string) ($this->user)() === '' ? 0 : $age;
        }

        /** Says that a part is being built; returns its number. */
        public static function begin(): int
        {
            self::$begun[++self::$last] = microtime(true);
            return self::$last;
        }

        /** When that part was begun, or, if that is earlier, when the oldest stored one in it was. */
        public static function end(int $number): float
        {
            $begun = self::$begun[$number];
            unset(self::$begun[$number]);
            return $begun;
        }

        /** Says that a stored part goes into those that are being built. */
        public static function holds(float $built): void
        {
            self::$begun = array_map(static fn (float $begun): float => min($begun, $built), self::$begun);
        }

        /**
         * A part of a page: the stored one if it is young enough, else what $build returns, which is stored.
         *
         * @param string            $key     all that the part depends on
         * @param callable(): mixed $build   returns text, or a value of scalars and arrays; what it throws is thrown on
         * @param bool              $private it is this user's own
         */
        public function part(string $key, callable $build, bool $private = false): mixed
        {
            $kept = $this->young($key, $private);
            if ($kept !== null) {
                return $kept['value'];
            }
            $name = $this->name($key, $private);
            if ($name === null || $this->store === null) {
                return $build();
            }
            $number = self::begin();        // it is as old as what it was built from
            try {
                $value = $build();
            } finally {
                $begun = self::end($number);
            }
            $parts = [$value];
            array_walk_recursive($parts, static function (mixed $one) use ($key): void {
                if (!is_scalar($one) && $one !== null) {
                    throw new \InvalidArgumentException("standby_part: $key: expected text, or scalars and arrays, got " . get_debug_type($one));
                }
            });
            $this->write($name, ['built' => $begun, 'key' => $key, 'value' => $value]);
            return $value;
        }

        /** The stored part if it is young enough for this level, else null: for what is left out otherwise. */
        public function kept(string $key, bool $private = false): mixed
        {
            return $this->young($key, $private)['value'] ?? null;
        }

        /** Has a part built anew with the next request, for this user if it is private. */
        public function forget(string $key, bool $private = false): void
        {
            $name = $this->name($key, $private);
            if ($name !== null && $this->store !== null) {
                $this->write($name, null);
            }
        }

        /** @return array{built: float, key: string, value: mixed}|null */
        private function young(string $key, bool $private): ?array
        {
            $name = $this->name($key, $private);
            $age = $this->age();
            $kept = $name !== null && $this->store !== null && $age > 0 ? $this->read($name) : null;
            $is = $kept === null ? -1 : microtime(true) - $kept['built'];
            if ($is < 0 || $is >= $age) {
                return null;
            }
            self::holds($kept['built']);
            return $kept;
        }

        /** Null for a private part of nobody: it is not stored. Letters that all stores take; what it stands for cannot be chosen. */
        private function name(string $key, bool $private): ?string
        {
            $user = $private ? (string) ($this->user)() : '';
            if ($private && $user === '') {
                return null;
            }
            return $this->prefix . '.' . hash('sha256', serialize([$key, $user]));
        }

        /** @return array{built: float, key: string, value: mixed}|null */
        private function read(string $name): ?array
        {
            try {
                if (is_callable([$this->store, 'getItem'])) {
                    $item = $this->store->getItem($name);
                    $kept = $item->isHit() ? $item->get() : null;
                } else {
                    $kept = $this->store->get($name);
                }
            } catch (\Throwable $e) {
                return $this->failed($e);
            }
            return is_array($kept) && is_float($kept['built'] ?? null) && array_key_exists('value', $kept) ? $kept : null;
        }

        /** @param array{built: float, key: string, value: mixed}|null $kept null: it is taken away */
        private function write(string $name, ?array $kept): void
        {
            $seconds = max([1, ...$this->ages]);
            try {
                if ($kept === null) {
                    is_callable([$this->store, 'getItem']) ? $this->store->deleteItem($name) : $this->store->delete($name);
                    return;
                }
                $is_stored = is_callable([$this->store, 'getItem']) ? $this->store->save($this->store->getItem($name)->set($kept)->expiresAfter($seconds))
                    : $this->store->set($name, $kept, $seconds);
                if ($is_stored === false) {
                    throw new \RuntimeException('it took no part');
                }
            } catch (\Throwable $e) {
                $this->failed($e);
            }
        }

        /** A store that fails takes no page away. */
        private function failed(\Throwable $e): ?array
        {
            error_log('standby_part: the store failed, so the part is built: ' . strtr($e->getMessage(), "\r\n", '  '));
            return null;
        }
    }

    /** Parts in the memory that all of php-fpm's children share. */
    final class ApcuParts
    {
        public static function available(): bool
        {
            return function_exists('apcu_enabled') && apcu_enabled();
        }

        public function get(string $name): mixed
        {
            $kept = apcu_fetch($name, $found);
            return $found ? $kept : null;
        }

        public function set(string $name, mixed $value, int $seconds): bool
        {
            return apcu_store($name, $value, $seconds);
        }

        public function delete(string $name): bool
        {
            return apcu_delete($name);
        }
    }

    /** Parts in files of a directory that php-fpm's user owns; in memory it is as fast. Values of scalars and arrays. */
    final class FileParts
    {
        public function __construct(private string $directory)
        {
            $is = @stat($directory);
            if ($is === false || !is_dir($directory) || $is['uid'] !== posix_geteuid() || ($is['mode'] & 022) !== 0) {
                throw new \InvalidArgumentException("standby_part: $directory: expected a directory of this user that nobody else may write to");
            }
        }

        public function get(string $name): mixed
        {
            $text = @file_get_contents($this->file($name));
            $kept = $text === false ? false : @unserialize($text, ['allowed_classes' => false]);
            return $kept === false ? null : $kept;
        }

        public function set(string $name, mixed $value, int $seconds): bool
        {
            $this->clean($seconds);
            $new = $this->file($name) . '.' . getmypid() . '.new';
            // written aside and renamed: no reader gets half of it
            if (@file_put_contents($new, serialize($value)) === false || !@rename($new, $this->file($name))) {
                @unlink($new);
                return false;
            }
            return true;
        }

        public function delete(string $name): bool
        {
            return @unlink($this->file($name));
        }

        private function file(string $name): string
        {
            return $this->directory . '/' . preg_replace('/[^A-Za-z0-9_.-]/', '_', $name);
        }

        /** One write in two hundred removes what is too old for every level. */
        private function clean(int $seconds): void
        {
            if (random_int(1, 200) > 1) {
                return;
            }
            foreach (glob($this->directory . '/*') ?: [] as $file) {
                if ((int) @filemtime($file) < time() - $seconds) {
                    @unlink($file);
                }
            }
        }
    }
}

namespace {

    if (!function_exists('standby_part')) {
        /** @see Ic2\StandbyParts::part */
        function standby_part(string $key, callable $build, bool $private = false): mixed
        {
            return Ic2\StandbyParts::shared()->part($key, $build, $private);
        }

        /** @see Ic2\StandbyParts::kept */
        function standby_part_kept(string $key, bool $private = false): mixed
        {
            return Ic2\StandbyParts::shared()->kept($key, $private);
        }

        /** @see Ic2\StandbyParts::forget */
        function standby_part_forget(string $key, bool $private = false): void
        {
            Ic2\StandbyParts::shared()->forget($key, $private);
        }
    }
}
