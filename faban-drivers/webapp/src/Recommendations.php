<?php
// SPDX-License-Identifier: Apache-2.0
declare(strict_types=1);

namespace Olio;

/**
 * The optional part of a page: twelve events that a random walk over the graph of similar events visits most often.
 * It is left out when the web server's environment says MITIGATION_BROWNOUT=1.
 */
final class Recommendations
{
    private const COUNT = 12;

    /** @param list<array<string, mixed>> $events */
    private function __construct(public readonly bool $leftOut, public readonly array $events)
    {
    }

    /** Pays what the page costs and finds the recommendations that go with the number $seed. */
    public static function build(Context $context, Events $events, int $seed): self
    {
        $cost = CostProfile::load($context->config);
        $cost->pay($seed);
        if ($context->request->brownout()) {
            return new self(true, []);
        }
        $highest = max(1, $events->highestId());
        $top = CostProfile::top($cost->walk($seed, $context->config->walkSteps), 2 * self::COUNT);
        $ids = array_unique(array_map(static fn (int $node): int => 1 + $node % $highest, $top));
        return new self(false, $events->cards(array_slice(array_values($ids), 0, self::COUNT)));
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
