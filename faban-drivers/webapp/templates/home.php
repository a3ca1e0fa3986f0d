<?php
// SPDX-License-Identifier: Apache-2.0
/** @var list<array<string, mixed>> $events @var list<array<string, mixed>> $mine */
/** @var Olio\Recommendations $recommended @var ?Olio\User $user */
$first = $events[0] ?? null;
?>
<?php if ($first !== null): ?>
<section class="feature">
  <a href="/event/<?= $first['id'] ?>"><img class="hero" width="480" height="300" src="/media/<?= e($first['image']) ?>" alt=""></a>
  <div>
    <p class="kicker">Just announced</p>
    <h1><a href="/event/<?= $first['id'] ?>"><?= e($first['title']) ?></a></h1>
    <p class="card-date"><?= when($first['starts_at']) ?></p>
    <p class="card-place"><?= e($first['place']) ?></p>
    <p><?= e($first['summary']) ?></p>
    <p class="card-tags"><?= tags($first['tags']) ?></p>
  </div>
</section>
<?php endif ?>
<?php if ($user !== null): ?>
<section id="my-events"><h2>My events</h2><?= cards($mine) ?></section>
<?php endif ?>
<section><h2>New in the calendar</h2><?= cards(array_slice($events, 1)) ?></section>
<?= recommendations($recommended) ?>
