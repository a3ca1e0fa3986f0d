<?php
// SPDX-License-Identifier: Apache-2.0
declare(strict_types=1);

namespace Olio;

use Ic2\StandbyParts;

/**
 * The optional part of a page: twelve events that a random walk over the graph of similar events visits most often.
 * It is left out when the web server's environment says MITIGATION_BROWNOUT=1. With OLIO_PARTS=on it is kept, as old as the
 * mitigation level allows, and left out only if none is kept. It depends on nothing but its number.
 */
final class Recommendations
{
    private const COUNT = 12;
    private const LIBRARY = __DIR__ . '/../../../httpd-online/docs/php/standby-parts.php';

    /** @param list<array<string, mixed>> $events */
    private function __construct(public readonly bool $leftOut, public readonly array $events)
    {
    }

    /**
     * Pays what the page costs and finds the recommendations that go with the number $seed.
     *
     * @param bool $kept whether kept ones will do; not for what is itself kept for a while
     */
    public static function build(Context $context, Events $events, int $seed, bool $kept = true): self
    {
        $cost = CostProfile::load($context->config);
        $cost->pay($seed);
        $brownout = $context->request->brownout();
        if (!$kept || !$context->config->parts) {
            return $brownout ? new self(true, []) : new self(false, self::find($context, $events, $cost, $seed));
        }
        if (!is_readable(self::LIBRARY)) {
            throw new ConfigError('OLIO_PARTS=on: expected the library at ' . self::LIBRARY . ', and there is no such file');
        }
        require_once self::LIBRARY;
        $user = $context->user?->id;
        $parts = new StandbyParts(user: static fn (): ?string => $user === null ? null : (string) $user);
        $key = "recommendations:$seed";
        $cards = $brownout ? $parts->kept($key) : $parts->part($key, static fn (): array => self::find($context, $events, $cost, $seed));
        return new self($cards === null, $cards ?? []);
    }

    /** @return list<array<string, mixed>> */
    private static function find(Context $context, Events $events, CostProfile $cost, int $seed): array
    {
        $highest = max(1, $events->highestId());
        $top = CostProfile::top($cost->walk($seed, $context->config->walkSteps), 2 * self::COUNT);
        $ids = array_unique(array_map(static fn (int $node): int => 1 + $node % $highest, $top));
        return $events->cards(array_slice(array_values($ids), 0, self::COUNT));
    }

    public function mark(Response $response): Response
    {
        return self::marked($response, $this->leftOut);
    }

    public static function marked(Response $response, bool $leftOut): Response
    {
        return $response->with('X-Optional', $leftOut ? 'left-out' : 'full');
    }
}
