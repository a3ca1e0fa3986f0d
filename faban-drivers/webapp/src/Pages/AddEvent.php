<?php
// SPDX-License-Identifier: Apache-2.0
declare(strict_types=1);

namespace Olio\Pages;

use Olio\Config;
use Olio\Context;
use Olio\CostProfile;
use Olio\Documents;
use Olio\Events;
use Olio\Images;
use Olio\Response;
use Olio\Tags;
use Olio\User;

/** AddEvent: for people who are logged in. */
final class AddEvent
{
    private const LATEST = 10;
    private const FIELDS = ['title', 'summary', 'description', 'place', 'starts', 'tags'];

    public function __construct(private readonly Context $context)
    {
    }

    public function form(): Response
    {
        $user = $this->context->user;
        return $user === null
            ? Response::redirect('/login')
            : $this->answer($user, 200, array_fill_keys(self::FIELDS, ''), []);
    }

    public function submit(): Response
    {
        $request = $this->context->request;
        $user = $this->context->user;
        if ($user === null) {
            return Response::redirect('/login');
        }
        $this->context->sessions->checkSessionToken($user);
        $fields = [];
        foreach (self::FIELDS as $name) {
            $fields[$name] = $request->field($name);
        }
        $errors = self::errors($fields);
        $uploads = $this->context->config->state . '/media/up';
        $images = new Images($uploads);
        if ($errors === []) {
            $image = $images->store($request->file('image'));
            $errors = $image['error'] === '' ? [] : [$image['error']];
        }
        if ($errors === []) {
            $refused = (new Documents($uploads))->store($request->file('document'));
            if ($refused !== '') {
                $images->remove($image['path']);
                $errors = [$refused];
            }
        }
        if ($errors !== []) {
            return $this->answer($user, 422, $fields, $errors);
        }
        $fields['starts'] = strtr($fields['starts'], 'T', ' ');
        $tags = Tags::parse($fields['tags']) ?? [];
        $id = (new Events($this->context->db))->add($user->id, $fields, $tags, $image['path'], (int) $request->time);
        return Response::redirect("/event/$id");
    }

    /**
     * @param array<string, string> $fields
     * @return list<string>
     */
    private static function errors(array $fields): array
    {
        $long = static fn (string $name, int $least, int $most): bool =>
            mb_strlen($fields[$name]) >= $least && mb_strlen($fields[$name]) <= $most;
        $starts = \DateTimeImmutable::createFromFormat('!Y-m-d\TH:i', $fields['starts']);
        return array_values(array_filter([
            $long('title', 1, 120) ? '' : 'The title needs 1 to 120 characters.',
            $long('summary', 1, 500) ? '' : 'The summary needs 1 to 500 characters.',
            $long('description', 0, 5000) ? '' : 'The description may have at most 5000 characters.',
            $long('place', 1, 120) ? '' : 'The place needs 1 to 120 characters.',
            $starts !== false && $starts->format('Y-m-d\TH:i') === $fields['starts'] ? ''
                : 'The start needs a date and a time, such as 2026-07-04T19:30.',
            Tags::parse($fields['tags']) !== null ? ''
                : 'Give 1 to 8 tags of 2 to 30 of the characters a-z, 0-9 and minus.',
        ]));
    }

    /**
     * @param array<string, string> $fields
     * @param list<string> $errors
     */
    private function answer(User $user, int $status, array $fields, array $errors): Response
    {
        CostProfile::load($this->context->config)->pay(0);
        return $this->context->html($status, $this->context->render('add-event', 'Add an event', [
            'csrf' => $user->csrf,
            'latest' => (new Events($this->context->db))->latest(self::LATEST),
            'fields' => $fields,
            'errors' => $errors,
            'documents' => $this->context->config->profile === Config::OLIO,
        ]));
    }
}
