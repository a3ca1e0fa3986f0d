<?php
// SPDX-License-Identifier: Apache-2.0
declare(strict_types=1);

namespace Olio\Pages;

use Olio\Context;
use Olio\HttpError;
use Olio\Response;

/** For programs: how much data there is, and whether the application works. */
final class Service
{
    public function __construct(private readonly Context $context)
    {
    }

    public function size(): Response
    {
        $meta = array_column($this->context->db->rows('SELECT name, value FROM meta'), 'value', 'name');
        if (!isset($meta['events'], $meta['persons'], $meta['tags'])) {
            throw new HttpError(503, 'The database holds no data yet: run load.php.');
        }
        $size = array_map(intval(...), array_intersect_key($meta, ['events' => 1, 'persons' => 1, 'tags' => 1]));
        return (new Response(200, json_encode($size, JSON_THROW_ON_ERROR)))->with('Content-Type', 'application/json');
    }

    /** The words of the loaded tags, in the order of their ids, one a line. */
    public function tags(): Response
    {
        $names = $this->context->db->rows(
            "SELECT name FROM tag WHERE id <= (SELECT CAST(value AS DECIMAL) FROM meta WHERE name = 'tags') ORDER BY id",
        );
        return (new Response(200, implode("\n", array_column($names, 'name')) . "\n"))
            ->with('Content-Type', 'text/plain; charset=utf-8');
    }

    public function health(): Response
    {
        $this->context->db->value('SELECT value FROM meta LIMIT 1') ?? throw new HttpError(503, 'No data yet: run load.php.');
        return (new Response(200, "ok\n"))->with('Content-Type', 'text/plain; charset=utf-8');
    }
}
