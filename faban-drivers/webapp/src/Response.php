<?php
// SPDX-License-Identifier: Apache-2.0
declare(strict_types=1);

namespace Olio;

/** One HTTP response. Private unless a page says otherwise. */
final class Response
{
    public const PRIVATE = 'private, no-store';
    public const PUBLIC = 'public, max-age=0';

    /** @var array<string, string> */
    private array $headers = ['Cache-Control' => self::PRIVATE, 'Vary' => 'Cookie'];
    /** @var list<array{string, string, array<string, mixed>}> */
    private array $cookies = [];

    public function __construct(public readonly int $status, public readonly string $body)
    {
    }

    public static function redirect(string $path): self
    {
        return (new self(303, ''))->with('Location', $path);
    }

    public function with(string $header, string $value): self
    {
        $this->headers[$header] = $value;
        return $this;
    }

    /** For answers that are the same for everybody, with any cookies. */
    public function withoutVary(): self
    {
        unset($this->headers['Vary']);
        return $this;
    }

    public function header(string $name): string
    {
        return $this->headers[$name] ?? '';
    }

    /** @param array<string, mixed> $options as setcookie() takes them */
    public function withCookie(string $name, string $value, array $options): self
    {
        $this->cookies[] = [$name, $value, $options];
        return $this;
    }

    public function send(): void
    {
        http_response_code($this->status);
        foreach ($this->headers as $name => $value) {
            header("$name: $value");
        }
        foreach ($this->cookies as [$name, $value, $options]) {
            setcookie($name, $value, $options);
        }
        echo $this->body;
    }
}
