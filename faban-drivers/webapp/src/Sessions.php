<?php
// SPDX-License-Identifier: Apache-2.0
declare(strict_types=1);

namespace Olio;

/**
 * Sessions of people who are logged in, kept in the database so that several web servers can share them; the
 * table holds only a hash of the cookie's value. Anonymous visitors have no session. Their two forms (login and
 * registration) are protected by a cookie that lives on the form's own path and must equal the hidden field.
 */
final class Sessions
{
    public const COOKIE = 'olio_session';
    public const FORM_COOKIE = 'olio_form';
    private const LIFETIME_S = 7200;

    private ?User $user;

    public function __construct(private readonly Database $db, private readonly Request $request)
    {
        $this->user = $this->find($request->cookie(self::COOKIE));
    }

    public function user(): ?User
    {
        return $this->user;
    }

    /** Starts a new session for a person and adds its cookie. */
    public function start(int $person, Response $response): Response
    {
        $now = (int) $this->request->time;
        $id = bin2hex(random_bytes(16));
        $this->end();
        $this->db->execute(
            'INSERT INTO session (id_hash, person_id, csrf, expires_at) VALUES (?, ?, ?, ?)',
            [self::hash($id), $person, bin2hex(random_bytes(16)), $now + self::LIFETIME_S],
        );
        if (random_int(1, 100) === 1) {
            $this->db->execute('DELETE FROM session WHERE expires_at < ?', [$now]);
        }
        return $response->withCookie(self::COOKIE, $id, $this->cookieOptions('/', 'Lax'));
    }

    /** Ends the request's session, if it has one. */
    public function end(): void
    {
        if ($this->user !== null) {
            $this->db->execute(
                'DELETE FROM session WHERE id_hash = ?',
                [self::hash($this->request->cookie(self::COOKIE))],
            );
        }
    }

    public function removeCookie(Response $response): Response
    {
        return $response->withCookie(self::COOKIE, '', ['expires' => 1] + $this->cookieOptions('/', 'Lax'));
    }

    /** The token for a form that anybody may send: the session's if there is one, else a new one. */
    public function formToken(): string
    {
        return $this->user?->csrf ?? bin2hex(random_bytes(16));
    }

    /** Adds the cookie that goes with formToken() when there is no session. */
    public function withFormCookie(Response $response, string $token): Response
    {
        return $this->user !== null ? $response : $response->withCookie(
            self::FORM_COOKIE,
            $token,
            $this->cookieOptions($this->request->path, 'Strict'),
        );
    }

    /** @throws HttpError 403 unless a form that anybody may send was sent from a page of ours */
    public function checkFormToken(): void
    {
        $this->check($this->user?->csrf ?? $this->request->cookie(self::FORM_COOKIE));
    }

    /** @throws HttpError 403 unless the form was sent from a page of ours, built for this session */
    public function checkSessionToken(User $user): void
    {
        $this->check($user->csrf);
    }

    private function check(string $expected): void
    {
        $sent = $this->request->rawField('_csrf');
        $origin = $this->request->header('Origin');
        $foreign = $origin !== '' && preg_replace('~^https?://~', '', $origin) !== $this->request->header('Host');
        if ($foreign || strlen($expected) !== 32 || !hash_equals($expected, $sent)) {
            throw new HttpError(403, 'This form is too old or comes from somewhere else. Load it again and send it once more.');
        }
    }

    private function find(string $cookie): ?User
    {
        if (preg_match('~^[0-9a-f]{32}$~D', $cookie) !== 1) {
            return null;
        }
        $row = $this->db->row(
            'SELECT p.id, p.name, s.csrf FROM session s JOIN person p ON p.id = s.person_id'
            . ' WHERE s.id_hash = ? AND s.expires_at > ?',
            [self::hash($cookie), (int) $this->request->time],
        );
        return $row === null ? null : new User($row['id'], $row['name'], $row['csrf']);
    }

    private static function hash(string $id): string
    {
        return hash('sha256', $id);
    }

    /** @return array<string, mixed> */
    private function cookieOptions(string $path, string $sameSite): array
    {
        return ['path' => $path, 'httponly' => true, 'samesite' => $sameSite, 'secure' => $this->request->isSecure()];
    }
}
