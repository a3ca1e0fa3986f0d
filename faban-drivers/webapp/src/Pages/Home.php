<?php
// SPDX-License-Identifier: Apache-2.0
declare(strict_types=1);

namespace Olio\Pages;

use Olio\Calendar;
use Olio\Config;
use Olio\Context;
use Olio\Events;
use Olio\HomeCache;
use Olio\Recommendations;
use Olio\Response;
use Olio\Tags;
use Olio\View;

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
        $user = $this->context->user;
        $brownout = $this->context->request->brownout();
        $config = $this->context->config;
        $parts = $config->profile === Config::OLIO
            ? (new HomeCache("$config->state/data/home" . ($brownout ? '-left-out' : '')))->get(fn (): array => $this->parts(0, false))
            : $this->parts($user?->id ?? 0, true);
        $page = $this->context->render('home', 'What is on', $parts + [
            'mine' => $user === null ? [] : (new Events($this->context->db))->attendedBy($user->id, self::MINE),
        ]);
        return Recommendations::marked($this->context->publicPage($page), $parts['leftOut']);
    }

    /**
     * What does not depend on who asks, but for the recommendations.
     *
     * @param int $seed of the recommendations
     * @param bool $kept whether kept recommendations will do
     * @return array<string, mixed>
     */
    private function parts(int $seed, bool $kept): array
    {
        $events = new Events($this->context->db);
        $recommended = Recommendations::build($this->context, $events, $seed, $kept);
        $latest = $events->latest(self::EVENTS);
        return [
            'leftOut' => $recommended->leftOut,
            'feature' => View::standalone('home-feature', ['first' => $latest[0] ?? null]),
            'lists' => View::standalone('home-lists', ['events' => array_slice($latest, 1), 'recommended' => $recommended]),
            'cloud' => (new Tags($this->context->db))->cloud(),
            'calendar' => Calendar::of($this->context->db, (int) $this->context->request->time),
        ];
    }
}
