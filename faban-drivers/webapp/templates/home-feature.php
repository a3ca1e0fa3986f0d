<?php
// SPDX-License-Identifier: Apache-2.0
/** @var array<string, mixed>|null $first */
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
