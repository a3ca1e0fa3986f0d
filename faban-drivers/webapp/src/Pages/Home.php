<?php
// SPDX-License-Identifier: Apache-2.0
declare(strict_types=1);

namespace Olio\Pages;

use Olio\Context;
use Olio\Events;
use Olio\Recommendations;
use Olio\Response;

/** HomePage: the newest events; for a logged-in user also the events that he or she goes to. */
final class Home
{
    private const EVENTS = 22;
    private const MINE = 6;

    public function __construct(private readonly Context $context)
    {
    }

    public function show(): Response
    {
        $events = new Events($this->context->db);
        $user = $this->context->user;
        $recommended = Recommendations::build($this->context, $events, $user?->id ?? 0);
        return $recommended->mark($this->context->publicPage($this->context->render('home', 'What is on', [
            'events' => $events->latest(self::EVENTS),
            'mine' => $user === null ? [] : $events->attendedBy($user->id, self::MINE),
            'recommended' => $recommended,
        ])));
    }
}
