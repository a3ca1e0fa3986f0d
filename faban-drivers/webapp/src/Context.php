<?php
// SPDX-License-Identifier: Apache-2.0
declare(strict_types=1);

namespace Olio;

/** What the pages work with during one request. */
final class Context
{
    private function __construct(
        public readonly Request $request,
        public readonly Config $config,
        public readonly Database $db,
        public readonly Sessions $sessions,
        public readonly ?User $user,
    ) {
    }

    /** @throws \PDOException when the database does not answer */
    public static function open(Request $request, Config $config): self
    {
        $db = Database::connect($config->dsn, $config->dbUser, $config->dbPassword);
        $sessions = new Sessions($db, $request);
        return new self($request, $config, $db, $sessions, $sessions->user());
    }

    /** Renders a page inside the site's frame: tag cloud, calendar, who is logged in. @param array<string, mixed> $data */
    public function render(string $page, string $title, array $data): string
    {
        return View::page($page, $title, $data + (isset($data['cloud'], $data['calendar']) ? [] : [
            'cloud' => (new Tags($this->db))->cloud(),
            'calendar' => Calendar::of($this->db, (int) $this->request->time),
        ]) + ['user' => $this->user]);
    }

    /**
     * The answer of a page that anybody may see: shared caches may keep it if the request carried no session.
     * The response has to be the same for all such requests.
     */
    public function publicPage(string $html): Response
    {
        $shared = $this->request->cookie(Sessions::COOKIE) === '';
        return $this->html(200, $html)->with('Cache-Control', $shared ? Response::PUBLIC : Response::PRIVATE);
    }

    public function html(int $status, string $html): Response
    {
        return (new Response($status, $html))->with('Content-Type', 'text/html; charset=utf-8');
    }
}
