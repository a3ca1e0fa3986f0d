<?php
// SPDX-License-Identifier: Apache-2.0
declare(strict_types=1);

namespace Olio;

/** A setting that cannot be used. The message names it, its value and what was expected. */
final class ConfigError extends \RuntimeException
{
}
