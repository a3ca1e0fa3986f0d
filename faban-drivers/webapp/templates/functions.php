<?php
// SPDX-License-Identifier: Apache-2.0
// What the templates share. All functions return HTML.
declare(strict_types=1);

/** Text, safe inside elements and quoted attributes. */
function e(string|int $text): string
{
    return htmlspecialchars((string) $text, ENT_QUOTES | ENT_SUBSTITUTE | ENT_HTML5, 'UTF-8');
}

/** `2026-03-04 19:30` as a time element. */
function when(string $time): string
{
    $stamp = (int) strtotime($time . ' UTC');
    return '<time datetime="' . e(strtr($time, ' ', 'T')) . '">' . gmdate('D j M Y, H:i', $stamp) . '</time>';
}

/** @param list<array<string, mixed>> $tags */
function tags(array $tags): string
{
    $html = '';
    foreach ($tags as $tag) {
        $html .= '<a class="tag" href="/tag/' . $tag['id'] . '" rel="tag">' . e($tag['name']) . '</a> ';
    }
    return $html;
}

/** One event in a list. @param array<string, mixed> $event */
function card(array $event): string
{
    $href = '/event/' . $event['id'];
    return '<article class="card">
  <a class="card-image" href="' . $href . '"><img loading="lazy" width="240" height="150" src="/media/' . e($event['image']) . '" alt=""></a>
  <div class="card-body">
    <p class="card-date">' . when($event['starts_at']) . '</p>
    <h3><a href="' . $href . '">' . e($event['title']) . '</a></h3>
    <p class="card-place">' . e($event['place']) . '</p>
    <p class="card-summary">' . e($event['summary']) . '</p>
    <p class="card-tags">' . tags($event['tags'] ?? []) . '</p>
    <p class="card-meta"><b>' . e($event['attendees']) . '</b> going · by <a href="/person/' . $event['owner_id'] . '">' . e($event['owner']) . '</a></p>
  </div>
</article>
';
}

/** @param list<array<string, mixed>> $events */
function cards(array $events): string
{
    return $events === [] ? '<p class="empty">Nothing here yet.</p>'
        : '<div class="cards">' . implode('', array_map(card(...), $events)) . '</div>';
}

/** The optional part of a page. */
function recommendations(Olio\Recommendations $recommended): string
{
    return $recommended->leftOut ? ''
        : '<section class="recommended"><h2>You may also like</h2>' . cards($recommended->events) . '</section>';
}

/** @param list<string> $errors */
function errors(array $errors): string
{
    return $errors === [] ? '' : '<ul class="errors"><li>' . implode('</li><li>', array_map(e(...), $errors)) . '</li></ul>';
}

function csrf(string $token): string
{
    return '<input type="hidden" name="_csrf" value="' . e($token) . '">';
}
