<?php
// SPDX-License-Identifier: Apache-2.0
/** @var string $feature @var string $lists @var list<array<string, mixed>> $mine @var ?Olio\User $user */
?>
<?= $feature ?>
<?php if ($user !== null): ?>
<section id="my-events"><h2>My events</h2><?= cards($mine) ?></section>
<?php endif ?>
<?= $lists ?>
