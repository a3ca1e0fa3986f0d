<?php
// SPDX-License-Identifier: Apache-2.0
/** @var array<string, mixed> $event @var list<array<string, mixed>> $comments @var list<array<string, mixed>> $attendees */
/** @var list<array<string, mixed>> $similar @var bool $attends @var Olio\Recommendations $recommended @var ?Olio\User $user */
?>
<article class="event">
  <img class="hero" width="480" height="300" src="/media/<?= e($event['image']) ?>" alt="">
  <h1><?= e($event['title']) ?></h1>
  <dl class="facts">
    <dt>When</dt><dd><?= when($event['starts_at']) ?></dd>
    <dt>Where</dt><dd><?= e($event['place']) ?></dd>
    <dt>By</dt><dd><a href="/person/<?= $event['owner_id'] ?>"><?= e($event['owner']) ?></a></dd>
    <dt>Tags</dt><dd><?= tags($event['tags']) ?></dd>
  </dl>
  <p class="lead"><?= e($event['summary']) ?></p>
<?php foreach (explode("\n", $event['description']) as $paragraph): ?>
<?php if (trim($paragraph) !== ''): ?>
  <p><?= e($paragraph) ?></p>
<?php endif ?>
<?php endforeach ?>
</article>
<section class="going">
  <h2><?= e($event['attendees']) ?> going</h2>
<?php if ($user !== null): ?>
<?php if ($attends): ?>
  <p class="attending">You are going.</p>
<?php else: ?>
  <form class="inline" action="/event/<?= $event['id'] ?>/attend" method="post"><?= csrf($user->csrf) ?><button type="submit">I am going</button></form>
<?php endif ?>
<?php endif ?>
  <ul class="people">
<?php foreach ($attendees as $person): ?>
    <li><a href="/person/<?= $person['id'] ?>"><?= e($person['name']) ?></a></li>
<?php endforeach ?>
  </ul>
</section>
<section class="comments">
  <h2>Comments</h2>
<?php if ($comments === []): ?>
  <p class="empty">No comments yet.</p>
<?php endif ?>
<?php foreach ($comments as $comment): ?>
  <article class="comment">
    <img loading="lazy" width="48" height="30" src="/media/<?= e($comment['image']) ?>" alt="">
    <div>
      <p class="comment-head"><a href="/person/<?= $comment['person_id'] ?>"><?= e($comment['name']) ?></a> <span class="stars" title="<?= $comment['rating'] ?> of 5"><?= str_repeat('★', $comment['rating']) . str_repeat('☆', 5 - $comment['rating']) ?></span> <?= when($comment['created_at']) ?></p>
      <p><?= e($comment['body']) ?></p>
    </div>
  </article>
<?php endforeach ?>
</section>
<section><h2>Similar events</h2><?= cards($similar) ?></section>
<?= recommendations($recommended) ?>
