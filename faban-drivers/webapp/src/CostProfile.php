<?php
// SPDX-License-Identifier: Apache-2.0
declare(strict_types=1);

namespace Olio;

/**
 * What a page costs beside building its HTML: a random walk over a graph of a chosen size (CPU and memory working
 * set) and a wait for a remote service. The graph is an array in opcache's shared memory, 64 bytes a node; the
 * visit counters are private to the process, 16 bytes a node.
 */
final class CostProfile
{
    public const NEIGHBOURS = 4;
    private const STEPS_PER_ROUND = 1000;
    private const LONGEST_WAIT_MEANS = 10;

    /** @param array<int, int> $graph the neighbours of node n at NEIGHBOURS * n and after */
    public function __construct(private readonly Config $config, private readonly array $graph)
    {
    }

    public static function load(Config $config): self
    {
        $file = $config->state . '/graph.php';
        $graph = is_file($file) ? require $file : null;
        if (!is_array($graph)) {
            throw new ConfigError("$file is missing: run docker/web/prepare (or bin/files.php) for this directory");
        }
        return new self($config, $graph);
    }

    public function nodes(): int
    {
        return intdiv(count($this->graph), self::NEIGHBOURS);
    }

    /** The part that every page pays: extra rounds, then the wait. */
    public function pay(int $seed): void
    {
        if ($this->config->cpuRounds > 0) {
            $this->walk($seed, $this->config->cpuRounds * self::STEPS_PER_ROUND);
        }
        if ($this->config->waitMs > 0) {
            $mean = $this->config->waitMs * 1000;
            $wait = -$mean * log(mt_rand(1, mt_getrandmax()) / mt_getrandmax());
            usleep((int) min($wait, self::LONGEST_WAIT_MEANS * $mean));
        }
    }

    /**
     * Visits per node of a random walk that starts at the node `$seed` and goes back there now and then.
     * The same seed gives the same walk.
     *
     * @return array<int, int>
     */
    public function walk(int $seed, int $steps): array
    {
        $graph = $this->graph;
        $nodes = $this->nodes();
        $visits = array_fill(0, $nodes, 0);
        $start = $seed % $nodes;
        $node = $start;
        $random = $seed & 0x7fffffff;
        for ($i = 0; $i < $steps; $i++) {
            $random = ($random * 1103515245 + 12345) & 0x7fffffff;
            $node = ($random & 0x7c000000) === 0 ? $start : $graph[($node << 2) | (($random >> 16) & 3)];
            $visits[$node]++;
        }
        return $visits;
    }

    /**
     * The nodes most often visited, most visited first.
     *
     * @param array<int, int> $visits
     * @return list<int>
     */
    public static function top(array $visits, int $count): array
    {
        $best = [];
        $least = 0;
        foreach ($visits as $node => $times) {
            if ($times > $least) {
                $best[$node] = $times;
                if (count($best) > 4 * $count) {
                    arsort($best);
                    $best = array_slice($best, 0, $count, true);
                    $least = end($best);
                }
            }
        }
        arsort($best);
        return array_slice(array_keys($best), 0, $count);
    }
}
