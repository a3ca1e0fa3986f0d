<?php
// SPDX-License-Identifier: Apache-2.0
declare(strict_types=1);

namespace Olio\Pages;

use Olio\Context;
use Olio\Events;
use Olio\HttpError;
use Olio\Recommendations;
use Olio\Response;

/** EventDetail: one event with comments, who goes there, and similar events. */
final class EventDetail
{
    private const COMMENTS = 25;
    private const ATTENDEES = 24;
    private const SIMILAR = 8;

    public function __construct(private readonly Context $context)
    {
    }

    public function show(int $id): Response
    {
        $events = new Events($this->context->db);
        $event = $events->find($id) ?? throw new HttpError(404, 'There is no such event.');
        $user = $this->context->user;
        $recommended = Recommendations::build($this->context, $events, $id);
        $similar = $event['tags'] === [] ? [] : $events->withTag($event['tags'][0]['id'], self::SIMILAR + 1);
        $similar = array_slice(array_filter($similar, static fn (array $other): bool => $other['id'] !== $id), 0, self::SIMILAR);
        return $recommended->mark($this->context->publicPage($this->context->render('event', $event['title'], [
            'event' => $event,
            'comments' => $events->comments($id, self::COMMENTS),
            'attendees' => $events->attendees($id, self::ATTENDEES),
            'attends' => $user !== null && $events->attends($id, $user->id),
            'similar' => $similar,
            'recommended' => $recommended,
        ])));
    }

    public function attend(int $id): Response
    {
        $user = $this->context->user;
        if ($user === null) {
            return Response::redirect('/login');
        }
        $this->context->sessions->checkSessionToken($user);
        $events = new Events($this->context->db);
        $events->find($id) ?? throw new HttpError(404, 'There is no such event.');
        $events->attend($id, $user->id);
        return Response::redirect("/event/$id");
    }
}
