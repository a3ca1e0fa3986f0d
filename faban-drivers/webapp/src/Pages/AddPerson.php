<?php
// SPDX-License-Identifier: Apache-2.0
declare(strict_types=1);

namespace Olio\Pages;

use Olio\Context;
use Olio\CostProfile;
use Olio\Events;
use Olio\Images;
use Olio\People;
use Olio\Response;

/** AddPerson: registration, open to everybody. */
final class AddPerson
{
    private const LATEST = 11;

    public function __construct(private readonly Context $context)
    {
    }

    public function form(): Response
    {
        return $this->answer(200, ['login' => '', 'name' => '', 'city' => '', 'summary' => ''], []);
    }

    public function submit(): Response
    {
        $request = $this->context->request;
        $this->context->sessions->checkFormToken();
        $fields = [
            'login' => strtolower($request->field('login')),
            'password' => $request->rawField('password'),
            'name' => $request->field('name'),
            'city' => $request->field('city'),
            'summary' => $request->field('summary'),
        ];
        $errors = self::errors($fields);
        if ($errors === []) {
            $images = new Images($this->context->config->state . '/media/up');
            $image = $images->store($request->file('image'));
            $errors = $image['error'] === '' ? [] : [$image['error']];
        }
        if ($errors === []) {
            $people = new People($this->context->db, $this->context->config->passwordCost);
            $id = $people->add($fields, $image['path'], (int) $request->time);
            if ($id !== null) {
                return Response::redirect("/person/$id");
            }
            $images->remove($image['path']);
            $errors = ['This login is taken. Please choose another one.'];
        }
        return $this->answer(422, $fields, $errors);
    }

    /**
     * @param array<string, string> $fields
     * @return list<string>
     */
    private static function errors(array $fields): array
    {
        return array_values(array_filter([
            preg_match('~^[a-z0-9_.-]{3,32}$~D', $fields['login']) === 1 ? ''
                : 'The login needs 3 to 32 of the characters a-z, 0-9, underscore, dot and minus.',
            strlen($fields['password']) >= 6 && strlen($fields['password']) <= 72 ? ''
                : 'The password needs 6 to 72 bytes.',
            $fields['name'] !== '' && mb_strlen($fields['name']) <= 80 ? '' : 'The name needs 1 to 80 characters.',
            mb_strlen($fields['city']) <= 80 ? '' : 'The city may have at most 80 characters.',
            mb_strlen($fields['summary']) <= 1000 ? '' : 'The summary may have at most 1000 characters.',
        ]));
    }

    /**
     * @param array<string, string> $fields
     * @param list<string> $errors
     */
    private function answer(int $status, array $fields, array $errors): Response
    {
        CostProfile::load($this->context->config)->pay(0);
        $token = $this->context->sessions->formToken();
        $html = $this->context->render('add-person', 'Join', [
            'csrf' => $token,
            'fields' => $fields,
            'errors' => $errors,
            'latest' => (new Events($this->context->db))->latest(self::LATEST),
        ]);
        return $this->context->sessions->withFormCookie($this->context->html($status, $html), $token);
    }
}
