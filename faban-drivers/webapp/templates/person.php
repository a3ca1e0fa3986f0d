<?php
// SPDX-License-Identifier: Apache-2.0
/** @var array<string, mixed> $person @var list<array<string, mixed>> $posted @var list<array<string, mixed>> $attended */
/** @var Olio\Recommendations $recommended */
?>
<section class="headline">
  <img class="hero small" width="240" height="150" src="/media/<?= e($person['image']) ?>" alt="">
  <div>
    <p class="kicker">Person</p>
    <h1><?= e($person['name']) ?></h1>
    <p class="card-place"><?= e($person['city']) ?> · with Olio since <?= when($person['created_at']) ?></p>
    <p><?= e($person['summary']) ?></p>
  </div>
</section>
<section><h2>Announced</h2><?= cards($posted) ?></section>
<section><h2>Goes to</h2><?= cards($attended) ?></section>
<?= recommendations($recommended) ?>
