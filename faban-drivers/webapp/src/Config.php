<?php
// SPDX-License-Identifier: Apache-2.0
declare(strict_types=1);

namespace Olio;

/** Everything an administrator may set, read from environment variables (README.md, section 2). */
final class Config
{
    public const PUBLIC = 'public';
    public const OLIO = 'olio';

    /**
     * @param string $state absolute path of the directory with images and the graph
     * @param int $walkSteps steps of the recommendations' random walk (the optional part of a page)
     * @param int $cpuRounds thousands of extra steps that no page leaves out
     * @param float $waitMs mean of the exponential wait that stands for a remote service, in milliseconds
     * @param int $passwordCost bcrypt's cost, 4 to 15
     * @param string $profile public, or olio: as the original Olio, with a home page from a cache
     */
    public function __construct(
        public readonly string $state,
        public readonly string $dsn,
        public readonly string $dbUser,
        public readonly string $dbPassword,
        public readonly int $walkSteps = 40000,
        public readonly int $cpuRounds = 20,
        public readonly float $waitMs = 10.0,
        public readonly int $passwordCost = 4,
        public readonly string $profile = self::PUBLIC,
        public readonly bool $parts = false,
    ) {
    }

    public static function fromEnvironment(): self
    {
        $state = self::text('OLIO_STATE', '');
        if ($state === '') {
            throw new ConfigError('OLIO_STATE is not set: name the directory that docker/web/prepare made');
        }
        return new self(
            $state,
            self::text('OLIO_DSN', "sqlite:$state/data/olio.sqlite"),
            self::text('OLIO_DB_USER', ''),
            self::text('OLIO_DB_PASSWORD', ''),
            (int) self::number('OLIO_WALK_STEPS', 40000, 0, 100_000_000),
            (int) self::number('OLIO_CPU_ROUNDS', 20, 0, 100_000),
            self::number('OLIO_WAIT_MS', 10, 0, 60_000),
            (int) self::number('OLIO_PASSWORD_COST', 4, 4, 15),
            self::choice('OLIO_PROFILE', [self::PUBLIC, self::OLIO]),
            self::choice('OLIO_PARTS', ['off', 'on']) === 'on',
        );
    }

    /** @param list<string> $words the first is the default */
    private static function choice(string $name, array $words): string
    {
        $word = self::text($name, $words[0]);
        return in_array($word, $words, true) ? $word : throw new ConfigError("$name=$word: expected " . implode(' or ', $words));
    }

    private static function text(string $name, string $default): string
    {
        $value = getenv($name);
        return $value === false || $value === '' ? $default : $value;
    }

    private static function number(string $name, float $default, float $min, float $max): float
    {
        $text = self::text($name, (string) $default);
        if (!is_numeric($text) || $text < $min || $text > $max) {
            throw new ConfigError("$name=$text: expected a number from $min to $max");
        }
        return (float) $text;
    }
}
