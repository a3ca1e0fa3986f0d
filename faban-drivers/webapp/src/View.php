<?php
// SPDX-License-Identifier: Apache-2.0
declare(strict_types=1);

namespace Olio;

/** Templates: plain PHP files that see the values of $data as variables and escape with e(). */
final class View
{
    /** One page inside the site's frame. @param array<string, mixed> $data */
    public static function page(string $page, string $title, array $data): string
    {
        return self::render('frame', $data + ['page' => $page, 'title' => $title, 'content' => self::render($page, $data)]);
    }

    /** A page that needs neither database nor frame. @param array<string, mixed> $data */
    public static function standalone(string $template, array $data): string
    {
        return self::render($template, $data);
    }

    /** @param array<string, mixed> $data */
    private static function render(string $template, array $data): string
    {
        require_once __DIR__ . '/../templates/functions.php';
        return (static function (string $__file, array $__data): string {
            extract($__data, EXTR_SKIP);
            ob_start();
            require $__file;
            return (string) ob_get_clean();
        })(__DIR__ . "/../templates/$template.php", $data);
    }
}
