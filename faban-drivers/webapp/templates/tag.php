<?php
// SPDX-License-Identifier: Apache-2.0
/** @var array<string, mixed> $tag @var list<array<string, mixed>> $events @var Olio\Recommendations $recommended */
$first = $events[0] ?? null;
?>
<section class="headline">
<?php if ($first !== null): ?>
  <img class="hero small" width="240" height="150" src="/media/<?= e($first['image']) ?>" alt="">
<?php endif ?>
  <div><p class="kicker">Tag</p><h1><?= e($tag['name']) ?></h1><p><?= e($tag['uses']) ?> events carry this tag; the newest come first.</p></div>
</section>
<section><?= cards($events) ?></section>
<?= recommendations($recommended) ?>
