<?php
// SPDX-License-Identifier: Apache-2.0
declare(strict_types=1);

namespace Olio;

/** A user who is logged in, with the CSRF token of the session. */
final class User
{
    public function __construct(
        public readonly int $id,
        public readonly string $name,
        public readonly string $csrf,
    ) {
    }
}
