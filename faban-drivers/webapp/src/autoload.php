<?php
// SPDX-License-Identifier: Apache-2.0
declare(strict_types=1);

spl_autoload_register(static function (string $class): void {
    if (str_starts_with($class, 'Olio\\')) {
        require __DIR__ . '/' . strtr(substr($class, 5), '\\', '/') . '.php';
    }
});
