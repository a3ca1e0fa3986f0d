<?php
// SPDX-License-Identifier: Apache-2.0
declare(strict_types=1);

namespace Olio\Pages;

use Olio\Context;
use Olio\Events;
use Olio\HttpError;
use Olio\People;
use Olio\Recommendations;
use Olio\Response;

/** PersonDetail: one person, the events he or she posted and goes to. */
final class PersonDetail
{
    private const POSTED = 12;
    private const ATTENDED = 16;

    public function __construct(private readonly Context $context)
    {
    }

    public function show(int $id): Response
    {
        $people = new People($this->context->db, $this->context->config->passwordCost);
        $person = $people->find($id) ?? throw new HttpError(404, 'There is no such person.');
        $events = new Events($this->context->db);
        $recommended = Recommendations::build($this->context, $events, $id);
        return $recommended->mark($this->context->publicPage($this->context->render('person', $person['name'], [
            'person' => $person,
            'posted' => $events->ownedBy($id, self::POSTED),
            'attended' => $events->attendedBy($id, self::ATTENDED),
            'recommended' => $recommended,
        ])));
    }
}
