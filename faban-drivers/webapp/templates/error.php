<?php
// SPDX-License-Identifier: Apache-2.0
/** @var int $status @var string $message @var ?Olio\User $user */
?>
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title><?= $status ?> · Olio</title>
<link rel="icon" href="/static/1/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/static/1/app.css">
</head>
<body data-page="error" data-user="<?= $user === null ? 'anon' : $user->id ?>" data-status="<?= $status ?>">
<main class="alone"><p class="kicker">Error <?= $status ?></p><h1><?= e($message) ?></h1><p><a class="button" href="/">To the first page</a></p></main>
</body>
</html>
