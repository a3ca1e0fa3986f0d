<?php
// SPDX-License-Identifier: Apache-2.0
/** @var string $csrf @var array<string, string> $fields @var list<string> $errors */
/** @var list<array<string, mixed>> $cloud @var list<array<string, mixed>> $latest */
?>
<section class="form">
  <h1>Join Olio</h1>
  <?= errors($errors) ?>
  <form id="person-form" action="/add-person" method="post" enctype="multipart/form-data">
    <?= csrf($csrf) ?>
    <label for="login">Login</label>
    <input id="login" name="login" minlength="3" maxlength="32" pattern="[A-Za-z0-9_.\-]+" autocomplete="username" autocapitalize="none" required value="<?= e($fields['login']) ?>">
    <p class="hint">3 to 32 characters: letters, digits, underscore, dot and minus.</p>
    <label for="password">Password</label>
    <input id="password" name="password" type="password" minlength="6" maxlength="72" autocomplete="new-password" required>
    <label for="name">Name</label>
    <input id="name" name="name" maxlength="80" autocomplete="name" required value="<?= e($fields['name']) ?>">
    <label for="city">City</label>
    <input id="city" name="city" maxlength="80" list="cities" value="<?= e($fields['city']) ?>">
    <datalist id="cities"><?php foreach (Olio\Words::CITIES as $city): ?><option value="<?= e($city) ?>"><?php endforeach ?></datalist>
    <label for="summary">About you</label>
    <textarea id="summary" name="summary" rows="5" maxlength="1000"><?= e($fields['summary']) ?></textarea>
    <label for="image">Picture</label>
    <input id="image" name="image" type="file" accept="image/jpeg,image/png,image/gif" data-preview>
    <p class="hint">JPEG, PNG or GIF, at most 1 MiB. Without one you get a pattern.</p>
    <button type="submit">Join</button>
  </form>
</section>
<section class="help"><h2>What others like</h2><p class="tags"><?= tags($cloud) ?></p></section>
<section><h2>What you could go to</h2><?= cards($latest) ?></section>
