<?php
// SPDX-License-Identifier: Apache-2.0
declare(strict_types=1);

namespace Olio\Pages;

use Olio\Context;
use Olio\CostProfile;
use Olio\Events;
use Olio\People;
use Olio\Response;

/** Login and logout. */
final class Login
{
    private const LATEST = 6;

    public function __construct(private readonly Context $context)
    {
    }

    public function form(): Response
    {
        return $this->answer(200, '', []);
    }

    public function submit(): Response
    {
        $request = $this->context->request;
        $this->context->sessions->checkFormToken();
        $people = new People($this->context->db, $this->context->config->passwordCost);
        $login = $request->field('login');
        $person = $people->authenticate($login, $request->rawField('password'));
        if ($person === null) {
            return $this->answer(422, $login, ['Login or password is wrong.']);
        }
        return $this->context->sessions->start($person, Response::redirect('/'));
    }

    public function logout(): Response
    {
        $sessions = $this->context->sessions;
        if ($this->context->user !== null) {
            $sessions->checkSessionToken($this->context->user);
            $sessions->end();
        }
        return $sessions->removeCookie(Response::redirect('/'));
    }

    /** @param list<string> $errors */
    private function answer(int $status, string $login, array $errors): Response
    {
        CostProfile::load($this->context->config)->pay(0);
        $token = $this->context->sessions->formToken();
        $html = $this->context->render('login', 'Log in', [
            'csrf' => $token,
            'login' => $login,
            'errors' => $errors,
            'latest' => (new Events($this->context->db))->latest(self::LATEST),
        ]);
        return $this->context->sessions->withFormCookie($this->context->html($status, $html), $token);
    }
}
