<?php
// SPDX-License-Identifier: Apache-2.0
declare(strict_types=1);

namespace Olio;

/** One HTTP request, as PHP's superglobals describe it. */
final class Request
{
    /**
     * @param array<string, mixed> $server
     * @param array<string, mixed> $query
     * @param array<string, mixed> $form
     * @param array<string, mixed> $files
     * @param array<string, mixed> $cookies
     */
    public function __construct(
        public readonly string $method,
        public readonly string $path,
        private readonly array $server,
        private readonly array $query,
        private readonly array $form,
        private readonly array $files,
        private readonly array $cookies,
        public readonly float $time,
    ) {
    }

    public static function fromGlobals(): self
    {
        $path = $_SERVER['PATH_INFO'] ?? '/';
        return new self(
            $_SERVER['REQUEST_METHOD'] ?? 'GET',
            $path === '' ? '/' : $path,
            $_SERVER,
            $_GET,
            $_POST,
            $_FILES,
            $_COOKIE,
            microtime(true),
        );
    }

    public function isRead(): bool
    {
        return $this->method === 'GET' || $this->method === 'HEAD';
    }

    public function isSecure(): bool
    {
        return ($this->server['REQUEST_SCHEME'] ?? '') === 'https' || ($this->server['HTTPS'] ?? '') === 'on';
    }

    /** Whether the web server asks to leave optional parts out: the last level of the mitigation ladder. */
    public function brownout(): bool
    {
        return ($this->server['MITIGATION_BROWNOUT'] ?? '') === '1';
    }

    public function query(string $name): string
    {
        return self::clean($this->query[$name] ?? '');
    }

    /** A field of a form without blanks at its ends; '' if it is missing or not a plain text. */
    public function field(string $name): string
    {
        return trim(self::clean($this->form[$name] ?? ''));
    }

    /** A field exactly as sent, for passwords. */
    public function rawField(string $name): string
    {
        return is_string($this->form[$name] ?? null) ? $this->form[$name] : '';
    }

    /** @return array{name: string, tmp_name: string, error: int, size: int}|null one uploaded file */
    public function file(string $name): ?array
    {
        $file = $this->files[$name] ?? null;
        return is_array($file) && is_int($file['error'] ?? null) ? $file : null;
    }

    public function cookie(string $name): string
    {
        return is_string($this->cookies[$name] ?? null) ? $this->cookies[$name] : '';
    }

    public function header(string $name): string
    {
        return (string) ($this->server['HTTP_' . strtoupper(strtr($name, '-', '_'))] ?? '');
    }

    /** True when PHP threw the body away because it exceeded post_max_size. */
    public function bodyWasTooLarge(): bool
    {
        return !$this->isRead() && $this->form === [] && $this->files === []
            && (int) ($this->server['CONTENT_LENGTH'] ?? 0) > ini_parse_quantity((string) ini_get('post_max_size'));
    }

    private static function clean(mixed $value): string
    {
        return is_string($value) && mb_check_encoding($value, 'UTF-8') ? str_replace("\0", '', $value) : '';
    }
}
