<?php
// SPDX-License-Identifier: Apache-2.0
/** @var string $csrf @var string $login @var list<string> $errors @var list<array<string, mixed>> $latest */
?>
<section class="form">
  <h1>Log in</h1>
  <?= errors($errors) ?>
  <form id="login-form" action="/login" method="post">
    <?= csrf($csrf) ?>
    <label for="login">Login</label>
    <input id="login" name="login" maxlength="32" autocomplete="username" autocapitalize="none" required value="<?= e($login) ?>">
    <label for="password">Password</label>
    <input id="password" name="password" type="password" maxlength="72" autocomplete="current-password" required>
    <button type="submit">Log in</button>
  </form>
  <p>New here? <a href="/add-person">Join Olio</a>; it takes a minute.</p>
</section>
<section class="help">
  <h2>What you can do once you are logged in</h2>
  <ul>
    <li>Add events of your own, with a picture, a place and up to eight tags.</li>
    <li>Say that you are going, and see your events at the top of the first page.</li>
    <li>Let others find you: everybody you meet at an event can look up your page.</li>
  </ul>
  <h2>Questions</h2>
  <dl class="questions">
    <dt>I have forgotten my password.</dt><dd>Ask the person who runs this site for a new one. Nobody can read the old one, not even he or she: only a one-way hash of it is kept.</dd>
    <dt>How long do I stay logged in?</dt><dd>Two hours after you logged in, or until you log out, whichever comes first.</dd>
    <dt>Do I need cookies?</dt><dd>Only to log in. While you just look around, Olio sets none.</dd>
    <dt>Why was I sent here?</dt><dd>You asked for something that only members may do, such as adding an event. Log in and ask again.</dd>
  </dl>
</section>
<section><h2>While you are here</h2><?= cards($latest) ?></section>
