<?php
// SPDX-License-Identifier: Apache-2.0
declare(strict_types=1);

namespace Olio\Pages;

use Olio\Context;
use Olio\Events;
use Olio\HttpError;
use Olio\Recommendations;
use Olio\Response;
use Olio\Tags;

/** TagSearch: the events that carry a tag. */
final class TagSearch
{
    private const EVENTS = 28;

    public function __construct(private readonly Context $context)
    {
    }

    public function show(int $id): Response
    {
        $tag = (new Tags($this->context->db))->find($id) ?? throw new HttpError(404, 'There is no such tag.');
        $events = new Events($this->context->db);
        $recommended = Recommendations::build($this->context, $events, $id);
        return $recommended->mark($this->context->publicPage($this->context->render('tag', 'Events: ' . $tag['name'], [
            'tag' => $tag,
            'events' => $events->withTag($id, self::EVENTS),
            'recommended' => $recommended,
        ])));
    }

    /** The search field, or a form that posts it: a word becomes the address of its tag. */
    public function find(): Response
    {
        $request = $this->context->request;
        $word = strtolower(trim($request->isRead() ? $request->query('tag') : $request->field('tag')));
        $id = (new Tags($this->context->db))->idOf($word);
        return $id === null
            ? throw new HttpError(404, "No event carries the tag “{$word}”.")
            : Response::redirect("/tag/$id");
    }
}
