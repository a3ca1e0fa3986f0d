<?php
// SPDX-License-Identifier: Apache-2.0
// Installs WordPress and fills it: users, tags, categories, images, posts of blocks, comments; the same for the same seed and
// scale. Prints the addresses that visitors ask for, most popular first, as CSV: path, id of the post (empty for others).
//   php seed.php SITE SCALE SEED     (IC2_SITE, IC2_DB_* in the environment, as php-fpm has them)
if ($argc !== 4 || !is_numeric($argv[2]) || !is_numeric($argv[3])) {
    fwrite(STDERR, "usage: seed.php SITE SCALE SEED\n");
    exit(2);
}
[, $site, $scale, $seed] = $argv;
$_SERVER += ['HTTP_HOST' => parse_url(getenv('IC2_SITE'), PHP_URL_HOST), 'REQUEST_METHOD' => 'GET', 'REMOTE_ADDR' => '127.0.0.1',
    'SERVER_PROTOCOL' => 'HTTP/1.1', 'REQUEST_URI' => '/', 'SERVER_NAME' => 'localhost'];
define('WP_INSTALLING', true);
require $site . '/wp-config.php';
require_once ABSPATH . 'wp-admin/includes/upgrade.php';

const WORDS = ['garden', 'river', 'market', 'winter', 'engine', 'letter', 'island', 'copper', 'window', 'violin', 'harbour',
    'forest', 'bridge', 'lantern', 'meadow', 'station', 'orchard', 'compass', 'thunder', 'village', 'mirror', 'canvas', 'ladder',
    'teapot', 'sailor', 'museum', 'bakery', 'valley', 'pencil', 'kettle', 'summer', 'marble'];
const TAGS = 15;
const CATEGORIES = 6;
const IMAGES = 12;
const AUTHORS = 20;
const MEMBERS = 100;
$posts = max(12, (int) round(100 * $scale));
mt_srand((int) $seed);

function words(int $count): string {
    $text = [];
    for ($i = 0; $i < $count; $i++) {
        $text[] = WORDS[mt_rand(0, count(WORDS) - 1)];
    }
    return ucfirst(implode(' ', $text));
}

function block(string $name, array $attributes, string $html): string {
    $json = $attributes ? ' ' . wp_json_encode($attributes) : '';
    return "<!-- wp:$name$json -->\n$html\n<!-- /wp:$name -->\n\n";
}

function paragraph(): string {
    return block('paragraph', [], '<p>' . words(mt_rand(30, 60)) . '.</p>');
}

function image(array $image): string {
    return block('image', ['id' => $image['id'], 'sizeSlug' => 'large', 'linkDestination' => 'none'],
        "<figure class=\"wp-block-image size-large\"><img src=\"{$image['url']}\" alt=\"{$image['name']}\" class=\"wp-image-{$image['id']}\"/></figure>");
}

function columns(): string {
    $inner = '';
    for ($i = 0; $i < 3; $i++) {
        $inner .= block('column', [], '<div class="wp-block-column">' . paragraph() . '</div>');
    }
    return block('columns', [], '<div class="wp-block-columns">' . $inner . '</div>');
}

function group(): string {
    $buttons = block('buttons', [], '<div class="wp-block-buttons">' . block('button', [],
        '<div class="wp-block-button"><a class="wp-block-button__link wp-element-button" href="/">' . words(2) . '</a></div>') . '</div>');
    return block('group', ['layout' => ['type' => 'constrained']], '<div class="wp-block-group">'
        . block('heading', [], '<h2>' . words(4) . '</h2>') . paragraph() . $buttons . '</div>');
}

function content(array $images): string {
    $text = paragraph() . image($images[mt_rand(0, count($images) - 1)]);
    for ($i = 0; $i < 3; $i++) {
        $text .= group() . paragraph();
    }
    return $text . columns() . image($images[mt_rand(0, count($images) - 1)]) . paragraph();
}

/** A picture of stripes, in the sizes that a theme's srcset names. */
function picture(int $number): array {
    $name = "picture-$number";
    $folder = wp_upload_dir('2025/01');
    $sizes = [];
    foreach (['' => [1200, 800], 'medium' => [300, 200], 'medium_large' => [768, 512], 'large' => [1024, 683]] as $size => [$w, $h]) {
        $canvas = imagecreatetruecolor($w, $h);
        for ($x = 0; $x < $w; $x += 10) {
            imagefilledrectangle($canvas, $x, 0, $x + 9, $h, imagecolorallocate($canvas, ($number * 37 + $x) % 256, $x % 256, 90));
        }
        $file = $size === '' ? "$name.jpg" : "$name-{$w}x$h.jpg";
        imagejpeg($canvas, $folder['path'] . '/' . $file, 70);
        if ($size !== '') {
            $sizes[$size] = ['file' => $file, 'width' => $w, 'height' => $h, 'mime-type' => 'image/jpeg'];
        }
    }
    $id = wp_insert_attachment(['post_title' => $name, 'post_mime_type' => 'image/jpeg', 'post_status' => 'inherit',
        'guid' => $folder['url'] . "/$name.jpg", 'post_date' => '2025-01-01 00:00:00'], $folder['path'] . "/$name.jpg");
    wp_update_attachment_metadata($id, ['width' => 1200, 'height' => 800, 'file' => "2025/01/$name.jpg", 'sizes' => $sizes]);
    return ['id' => $id, 'name' => $name, 'url' => $folder['url'] . "/$name-1024x683.jpg"];
}

function terms(string $taxonomy, string $name, int $count): array {
    $ids = [];
    for ($i = 1; $i <= $count; $i++) {
        $ids[] = wp_insert_term("$name $i", $taxonomy)['term_id'];
    }
    return $ids;
}

function some(array $ids, int $count): array {
    $chosen = [];
    for ($i = 0; $i < $count; $i++) {
        $chosen[] = $ids[mt_rand(0, count($ids) - 1)];
    }
    return array_values(array_unique($chosen));
}

function fail_on_error($result) {
    if (is_wp_error($result)) {
        throw new RuntimeException($result->get_error_message());
    }
    return $result;
}

function installed(): void {
    add_filter('pre_wp_mail', '__return_true');
    wp_install('IC2 testbed', 'admin', 'admin@example.org', true, '', 'pass-admin');
    foreach (get_posts(['numberposts' => -1, 'post_type' => ['post', 'page'], 'post_status' => 'any', 'fields' => 'ids']) as $id) {
        wp_delete_post($id, true);
    }
    switch_theme('twentytwentythree');
    foreach (['permalink_structure' => '/%year%/%monthnum%/%postname%/', 'comment_previously_approved' => 0, 'comment_moderation' => 0,
        'comments_notify' => 0, 'moderation_notify' => 0, 'posts_per_page' => 10, 'default_pingback_flag' => 0,
        'timezone_string' => 'UTC'] as $option => $value) {
        update_option($option, $value);
    }
    // made at once, with the addresses of tags and categories: the first visitors would make them in a race, and get a 404
    $GLOBALS['wp_rewrite']->init();
    create_initial_taxonomies();
    $GLOBALS['wp_rewrite']->flush_rules(false);
}

function users(): array {
    $authors = [];
    for ($i = 1; $i <= AUTHORS; $i++) {
        $authors[] = fail_on_error(wp_insert_user(['user_login' => "author$i", 'user_pass' => "pass-author$i", 'role' => 'author',
            'user_email' => "author$i@example.org", 'display_name' => "Author $i"]));
    }
    for ($i = 1; $i <= MEMBERS; $i++) {
        fail_on_error(wp_insert_user(['user_login' => "member$i", 'user_pass' => "pass-member$i", 'role' => 'subscriber',
            'user_email' => "member$i@example.org", 'display_name' => "Member $i"]));
    }
    return $authors;
}

function comments(int $post, int $count, int $time): void {
    $parent = 0;
    for ($i = 0; $i < $count; $i++) {
        $who = mt_rand(1, 500);
        $id = wp_insert_comment(['comment_post_ID' => $post, 'comment_author' => "Reader $who", 'comment_author_email' => "reader$who@example.org",
            'comment_content' => words(mt_rand(10, 40)) . '.', 'comment_approved' => 1, 'comment_author_IP' => '127.0.0.1',
            'comment_parent' => mt_rand(0, 3) === 0 ? $parent : 0, 'comment_date' => gmdate('Y-m-d H:i:s', $time + 3600 * ($i + 1)),
            'comment_date_gmt' => gmdate('Y-m-d H:i:s', $time + 3600 * ($i + 1))]);
        $parent = $parent ?: $id;
    }
}

installed();
$authors = users();
wp_defer_term_counting(true);
wp_defer_comment_counting(true);
$tags = terms('post_tag', 'Tag', TAGS);
$categories = terms('category', 'Category', CATEGORIES);
$images = array_map('picture', range(1, IMAGES));
$start = strtotime('2025-01-02 09:00:00 UTC');
$articles = [];
for ($i = 1; $i <= $posts; $i++) {
    $time = $start + $i * 3 * 86400;
    $id = fail_on_error(wp_insert_post(['post_title' => words(4) . " $i", 'post_name' => "post-$i", 'post_status' => 'publish',
        'post_author' => $authors[mt_rand(0, count($authors) - 1)], 'post_content' => wp_slash(content($images)),
        'post_excerpt' => words(25), 'post_category' => some($categories, 2), 'post_date' => gmdate('Y-m-d H:i:s', $time),
        'post_date_gmt' => gmdate('Y-m-d H:i:s', $time), 'comment_status' => 'open'], true));
    wp_set_object_terms($id, some($tags, 3), 'post_tag');
    set_post_thumbnail($id, $images[mt_rand(0, IMAGES - 1)]['id']);
    comments($id, mt_rand(5, 15), $time);
    $articles[] = [wp_make_link_relative(get_permalink($id)), $id];
}
for ($i = 1; $i <= 4; $i++) {
    fail_on_error(wp_insert_post(['post_type' => 'page', 'post_title' => "About $i", 'post_name' => "about-$i", 'post_status' => 'publish',
        'post_author' => 1, 'post_content' => wp_slash(content($images)), 'post_date' => '2025-01-01 00:00:00'], true));
}
wp_defer_term_counting(false);
wp_defer_comment_counting(false);

// Popularity: the front page, then the latest posts, with a list of posts after every third of them.
$lists = ['/page/2/'];
for ($i = 1; $i <= CATEGORIES; $i++) {
    $lists[] = "/category/category-$i/";
}
for ($i = 1; $i <= TAGS; $i++) {
    $lists[] = "/tag/tag-$i/";
}
for ($i = 1; $i <= 4; $i++) {
    $lists[] = "/about-$i/";
}
for ($month = 10; $month >= 1 && $posts >= 100; $month--) {
    $lists[] = sprintf('/2025/%02d/', $month);
}
echo "/,\n";
foreach (array_reverse($articles) as $i => [$path, $id]) {
    echo "$path,$id\n";
    if ($i % 3 === 0 && $lists) {
        echo array_shift($lists), ",\n";
    }
}
