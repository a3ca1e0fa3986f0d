<?php
// SPDX-License-Identifier: Apache-2.0
/** @var list<array<string, mixed>> $events @var Olio\Recommendations $recommended */
?>
<section><h2>New in the calendar</h2><?= cards($events) ?></section>
<?= recommendations($recommended) ?>
