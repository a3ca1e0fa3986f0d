<?php
// SPDX-License-Identifier: Apache-2.0
/*
 * Plugin Name: The testbed's stamp
 * Description: Says in each page when WordPress began to build it and for whom, so that the load can check both; lets one
 *              machine send many comments; keeps pages from becoming dearer with each of them; lets an experiment make all dearer.
 */

/** A deployment that makes every page dearer, by this many thousand steps: the key env[OLIO_CPU_ROUNDS] of php-fpm's pool. */
add_action('init', function () {
    for ($x = 1, $left = 1000 * (int) getenv('OLIO_CPU_ROUNDS'); $left > 0; $left--) {
        $x = ($x * 1103515245 + 12345) & 0x7fffffff;
    }
});

/** <!-- ic2 built=EPOCHMILLISECONDS visitor=anonymous|member:LOGIN|commenter:NAME --> */
function ic2_stamp() {
    $user = wp_get_current_user();
    $name = wp_get_current_commenter()['comment_author'];
    $visitor = $user->exists() ? 'member:' . $user->user_login : ($name !== '' ? 'commenter:' . $name : 'anonymous');
    $safe = preg_replace('/[^A-Za-z0-9:._-]/', '_', $visitor);
    printf("<!-- ic2 built=%d visitor=%s -->\n", (int) floor($_SERVER['REQUEST_TIME_FLOAT'] * 1000), $safe);
}
foreach (['wp_footer', 'admin_footer', 'login_footer', 'rss2_head', 'atom_head', 'commentsrss2_head'] as $hook) {
    add_action($hook, 'ic2_stamp');
}

// All users of the load have one address: WordPress would take them for one who posts too fast.
add_filter('comment_flood_filter', '__return_false', 100);

/** Of the load's comments each post keeps the latest five, so that an hour of load costs what its first minute does. */
add_action('comment_post', function ($id) {
    $post = (int) get_comment($id)->comment_post_ID;
    $old = get_comments(['post_id' => $post, 'search' => 'ic2-load:', 'orderby' => 'comment_ID', 'order' => 'DESC',
        'offset' => 5, 'number' => 20, 'fields' => 'ids']);
    foreach ($old as $one) {
        wp_delete_comment($one, true);
    }
});
