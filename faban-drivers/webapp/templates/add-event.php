<?php
// SPDX-License-Identifier: Apache-2.0
/** @var string $csrf @var array<string, string> $fields @var list<string> $errors @var bool $documents */
/** @var list<array<string, mixed>> $cloud @var list<array<string, mixed>> $latest */
?>
<section class="form">
  <h1>Add an event</h1>
  <?= errors($errors) ?>
  <form id="event-form" action="/add-event" method="post" enctype="multipart/form-data">
    <?= csrf($csrf) ?>
    <label for="title">Title</label>
    <input id="title" name="title" maxlength="120" required value="<?= e($fields['title']) ?>">
    <label for="summary">In one sentence</label>
    <input id="summary" name="summary" maxlength="500" required value="<?= e($fields['summary']) ?>">
    <label for="description">Description</label>
    <textarea id="description" name="description" rows="8" maxlength="5000"><?= e($fields['description']) ?></textarea>
    <label for="place">Place</label>
    <input id="place" name="place" maxlength="120" list="cities" required value="<?= e($fields['place']) ?>">
    <datalist id="cities"><?php foreach (Olio\Words::CITIES as $city): ?><option value="<?= e($city) ?>"><?php endforeach ?></datalist>
    <label for="starts">Start</label>
    <input id="starts" name="starts" type="datetime-local" required value="<?= e($fields['starts']) ?>">
    <label for="tags">Tags</label>
    <input id="tags" name="tags" maxlength="260" required value="<?= e($fields['tags']) ?>">
    <p class="hint">1 to 8 words, separated by blanks or commas. Click to add one:</p>
    <p class="suggestions"><?php foreach ($cloud as $tag): ?><button class="tag" type="button" data-tag="<?= e($tag['name']) ?>"><?= e($tag['name']) ?></button> <?php endforeach ?></p>
    <label for="image">Picture</label>
    <input id="image" name="image" type="file" accept="image/jpeg,image/png,image/gif" data-preview>
    <p class="hint">JPEG, PNG or GIF, at most 1 MiB. Without one the event gets a pattern.</p>
<?php if ($documents): ?>
    <label for="document">Programme</label>
    <input id="document" name="document" type="file" accept="application/pdf">
    <p class="hint">A PDF of at most 1 MiB.</p>
<?php endif ?>
    <button type="submit">Add the event</button>
  </form>
</section>
<section class="help">
  <h2>Good announcements</h2>
  <ul><li>Say in one sentence what will happen and for whom.</li><li>Name the place so that a stranger finds it.</li><li>Use tags that others use too: they lead to your event.</li><li>A picture of the place helps more than a logo.</li></ul>
</section>
<section><h2>Announced already</h2><?= cards($latest) ?></section>
