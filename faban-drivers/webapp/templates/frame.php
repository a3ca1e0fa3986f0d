<?php
// SPDX-License-Identifier: Apache-2.0
/** @var string $page @var string $title @var string $content @var ?Olio\User $user */
/** @var list<array<string, mixed>> $cloud @var Olio\Calendar $calendar */
?>
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title><?= e($title) ?> · Olio</title>
<link rel="icon" href="/static/1/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/static/1/app.css">
<script src="/static/1/app.js" defer></script>
</head>
<body data-page="<?= e($page) ?>" data-user="<?= $user === null ? 'anon' : $user->id ?>">
<header class="top">
  <a class="brand" href="/"><svg viewBox="0 0 32 32" width="30" height="30" aria-hidden="true"><circle cx="16" cy="16" r="14" fill="#0f766e"/><path d="M9 17l5 5 9-11" fill="none" stroke="#fff" stroke-width="3.4" stroke-linecap="round" stroke-linejoin="round"/></svg><span>Olio</span></a>
  <form class="search" action="/search" method="get" role="search">
    <label class="hidden" for="search">Search by tag</label>
    <input id="search" name="tag" type="search" placeholder="Search by tag, for example jazz" maxlength="30" required>
    <button type="submit">Search</button>
  </form>
  <nav>
    <a href="/">Events</a>
<?php if ($user === null): ?>
    <a href="/add-person">Join</a>
    <a class="button" href="/login">Log in</a>
<?php else: ?>
    <a href="/add-event">Add event</a>
    <a href="/person/<?= $user->id ?>" id="me"><?= e($user->name) ?></a>
    <form class="inline" action="/logout" method="post"><?= csrf($user->csrf) ?><button class="plain" type="submit">Log out</button></form>
<?php endif ?>
  </nav>
</header>
<div class="columns">
<main>
<?= $content ?>
</main>
<aside>
  <section class="calendar">
    <h2><?= e($calendar->title) ?></h2>
    <table>
      <thead><tr><th scope="col">Mo</th><th scope="col">Tu</th><th scope="col">We</th><th scope="col">Th</th><th scope="col">Fr</th><th scope="col">Sa</th><th scope="col">Su</th></tr></thead>
      <tbody><tr><?= str_repeat('<td></td>', $calendar->firstWeekday - 1) ?>
<?php for ($day = 1, $cell = $calendar->firstWeekday; $day <= $calendar->days; $day++, $cell++): ?>
<?php $count = $calendar->counts[$day] ?? 0 ?>
<td class="<?= $day === $calendar->today ? 'today' : ($count > 0 ? 'busy' : 'free') ?>" title="<?= $count ?> events"><time datetime="<?= $calendar->month ?>-<?= sprintf('%02d', $day) ?>"><?= $day ?></time><?php if ($count > 0): ?><small><?= $count ?></small><?php endif ?></td>
<?php if ($cell % 7 === 0 && $day < $calendar->days): ?></tr><tr><?php endif ?>
<?php endfor ?></tr></tbody>
    </table>
  </section>
  <section class="cloud">
    <h2>Tags</h2>
    <ul>
<?php foreach ($cloud as $tag): ?>
      <li><a class="tag size-<?= min(5, 1 + intdiv((int) $tag['uses'], 60)) ?>" href="/tag/<?= $tag['id'] ?>" title="<?= $tag['uses'] ?> events" rel="tag"><?= e($tag['name']) ?></a></li>
<?php endforeach ?>
    </ul>
  </section>
  <section class="about">
    <h2>About Olio</h2>
    <p>A calendar of social events that its readers keep. Everybody may look; <a href="/add-person">join</a> to add events of your own, to tell others where you go, and to find out who else does.</p>
    <p>Olio carries no advertisements, follows nobody around and keeps no more about you than you enter.</p>
  </section>
</aside>
</div>
<footer>
  <div><h2>Browse</h2><ul><li><a href="/">Newest events</a></li><?php foreach (array_slice($cloud, 0, 8) as $tag): ?><li><a href="/tag/<?= $tag['id'] ?>"><?= e(ucfirst($tag['name'])) ?></a></li><?php endforeach ?></ul></div>
  <div><h2>Take part</h2><ul><li><a href="/add-person">Join</a></li><li><a href="/login">Log in</a></li><li><a href="/add-event">Add an event</a></li></ul></div>
  <div><h2>Small print</h2><p>All times are in UTC. Organisers answer for what they announce; write to them through their page. A picture that you send is cut to shape and stored anew, so that it holds nothing but the picture.</p></div>
</footer>
</body>
</html>
