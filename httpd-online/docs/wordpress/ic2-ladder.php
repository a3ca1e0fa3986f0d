<?php
// SPDX-License-Identifier: Apache-2.0
/*
 * Plugin Name: IC² ladder
 * Description: WordPress' part in the ladder of mitigation.conf: leaves out what is dear and optional while a neighbour takes the
 *              CPU (the last level), says which pages are somebody's own, and has a page that changes stored anew.
 *
 * A must-use plugin of one file: copy it into wp-content/mu-plugins/ (make that directory if there is none). Nothing has to be
 * switched on, and without the ladder it costs nothing. For WordPress 5.9 or newer; what it leaves out:
 *
 * - Comments: the latest five as plain text, and the form. (IC2_LADDER_COMMENTS in wp-config.php is another number.)
 * - Layout of blocks: WordPress makes style rules for each block. Here blocks get the classes alone, to which the theme's own
 *   rules and a few of ours apply; a width or a gap that an author has set for one block is the usual one.
 */

if (!defined('ABSPATH')) {
    exit;
}

/** Whether httpd asks for the short form of a page: SetEnv MITIGATION_BROWNOUT, also after an internal redirect. */
function ic2_ladder_brownout() {
    foreach (['MITIGATION_BROWNOUT', 'REDIRECT_MITIGATION_BROWNOUT'] as $name) {
        if (isset($_SERVER[$name]) && $_SERVER[$name] === '1') {
            return true;
        }
    }
    return false;
}

// --- The last level.

function ic2_ladder_comments_shown() {
    return defined('IC2_LADDER_COMMENTS') ? max(1, (int) IC2_LADDER_COMMENTS) : 5;
}

/** In place of WordPress' layout support: the classes that it would give, without rules for each single block. */
function ic2_ladder_layout($html, $block) {
    $type = WP_Block_Type_Registry::get_instance()->get_registered($block['blockName']);
    if (!$type || empty($type->supports['__experimentalLayout']) && empty($type->supports['layout'])) {
        return $html;
    }
    $support = $type->supports['layout'] ?? $type->supports['__experimentalLayout'];
    $layout = $block['attrs']['layout'] ?? (is_array($support) ? $support['default'] ?? [] : []);
    $kind = !empty($layout['inherit']) || !empty($layout['contentSize']) ? 'constrained' : $layout['type'] ?? 'flow';
    $classes = ['is-layout-' . sanitize_html_class($kind === 'default' ? 'flow' : $kind)];
    static $padding = null;
    $padding ??= (bool) wp_get_global_settings(['useRootPaddingAwareAlignments']);
    if ($padding && $kind === 'constrained') {
        $classes[] = 'has-global-padding';
    }
    foreach (['orientation' => 'is-', 'justifyContent' => 'is-content-justification-', 'flexWrap' => 'is-'] as $key => $prefix) {
        if (!empty($layout[$key]) && is_string($layout[$key])) {
            $classes[] = sanitize_html_class($prefix . $layout[$key]);
        }
    }
    return preg_replace('/class="/', 'class="' . implode(' ', $classes) . ' ', $html, 1);
}

/** What WordPress says of these classes for each block by itself. */
function ic2_ladder_style() {
    echo '<style>.is-content-justification-space-between{justify-content:space-between}.is-content-justification-right'
        . '{justify-content:flex-end}.is-content-justification-center{justify-content:center}.is-vertical{flex-direction:column;'
        . "align-items:flex-start}.is-layout-flex.is-nowrap{flex-wrap:nowrap}</style>\n";
}

/** In place of the block with all comments: the latest, as plain text, and the form. */
function ic2_ladder_comments($html, $block) {
    if (!in_array($block['blockName'], ['core/comments', 'core/comments-query-loop', 'core/post-comments'], true)) {
        return $html;
    }
    $post = get_post();
    if (!$post || post_password_required($post) || !comments_open($post) && !get_comments_number($post)) {
        return '';
    }
    $text = '<div class="wp-block-comments"><h2>' . esc_html__('Comments') . '</h2><ol>';
    foreach (array_reverse(get_comments(['post_id' => $post->ID, 'status' => 'approve', 'number' => ic2_ladder_comments_shown(),
        'orderby' => 'comment_ID', 'order' => 'DESC', 'update_comment_meta_cache' => false])) as $comment) {
        $text .= '<li id="comment-' . (int) $comment->comment_ID . '"><b>' . esc_html($comment->comment_author) . '</b><p>'
            . nl2br(esc_html(wp_strip_all_tags($comment->comment_content))) . '</p></li>';
    }
    $left = get_comments_number($post) - ic2_ladder_comments_shown();
    $text .= '</ol>' . ($left > 0 ? '<p>' . (int) $left . ' more are shown again soon.</p>' : '');
    ob_start();
    comment_form([], $post->ID);
    return $text . ob_get_clean() . '</div>';
}

if (ic2_ladder_brownout()) {
    add_action('init', function () {
        if (remove_filter('render_block', 'wp_render_layout_support_flag')) {
            add_filter('render_block', 'ic2_ladder_layout', 10, 2);
            add_action('wp_head', 'ic2_ladder_style', 100);
        }
    }, 100);
    add_filter('pre_render_block', 'ic2_ladder_comments', 10, 2);
    // Themes that are not made of blocks: the same number, by WordPress' own paging. Not for who has just written: the address
    // to go to would be that of a page of comments, and only there the comment would be seen at once.
    if (in_array($_SERVER['REQUEST_METHOD'] ?? '', ['GET', 'HEAD'], true)) {
        add_filter('pre_option_page_comments', '__return_true');
    }
    add_filter('pre_option_comments_per_page', 'ic2_ladder_comments_shown');
    add_filter('pre_option_default_comments_page', function () {
        return 'newest';
    });
}

// --- What is somebody's own: no cache between WordPress and that visitor may keep it.

/** Whether the page depends on who asks. */
function ic2_ladder_private() {
    foreach (array_keys($_COOKIE) as $name) {
        if (preg_match('/^(?:wordpress_logged_in_|wordpress_sec_|wp-postpass_|comment_author_)/', $name)) {
            return true;
        }
    }
    return is_user_logged_in() || is_preview() || is_customize_preview();
}

add_action('template_redirect', function () {
    if (headers_sent() || !ic2_ladder_private()) {
        return;
    }
    $said = 'private';
    foreach (headers_list() as $line) {
        if (stripos($line, 'Cache-Control:') === 0 && stripos($line, 'private') === false) {
            $said .= ', ' . trim(substr($line, strlen('Cache-Control:')));
        }
    }
    header('Cache-Control: ' . $said);
}, 0);

// --- A post that is published, changed or withdrawn: its page and the front page leave the store.

/** Addresses that are purged at the end of the request. */
function ic2_ladder_changed($address = null) {
    static $addresses = [];
    if ($address !== null && strpos($address, '?') === false) {  // with a query: it had no address in public
        $addresses[$address] = true;
    }
    return array_keys($addresses);
}

add_action('transition_post_status', function ($new, $old, $post) {
    if ($new !== 'publish' && $old !== 'publish' || !is_post_type_viewable($post->post_type) || wp_is_post_revision($post)) {
        return;
    }
    $shown = clone $post;  // the address that it has, or had, in public
    $shown->post_status = 'publish';
    $shown->post_name = preg_replace('/__trashed$/', '', $shown->post_name);
    $shown->filter = 'sample';
    ic2_ladder_changed(get_permalink($shown));
    ic2_ladder_changed(home_url('/'));
}, 10, 3);

add_action('shutdown', function () {
    foreach (ic2_ladder_changed() as $address) {
        $parts = wp_parse_url($address);
        $port = isset($parts['port']) ? ':' . $parts['port'] : '';
        // httpd takes a PURGE from this machine only; nobody waits for the answer
        wp_remote_request($parts['scheme'] . '://127.0.0.1' . $port . ($parts['path'] ?? '/'), ['method' => 'PURGE',
            'blocking' => false, 'timeout' => 0.5, 'sslverify' => false, 'redirection' => 0, 'cookies' => [],
            'headers' => ['Host' => $parts['host'] . $port]]);
    }
});
