<?php
// SPDX-License-Identifier: Apache-2.0
declare(strict_types=1);

namespace Olio;

/** Ends a request with an error page of the given status. */
final class HttpError extends \RuntimeException
{
    public function __construct(public readonly int $status, string $message)
    {
        parent::__construct($message);
    }
}
