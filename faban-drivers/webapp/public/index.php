<?php
// SPDX-License-Identifier: Apache-2.0
// The front controller: every page starts here, with the path in PATH_INFO.
declare(strict_types=1);

require __DIR__ . '/../src/autoload.php';

Olio\App::run(Olio\Request::fromGlobals(), Olio\Config::fromEnvironment(...))->send();
