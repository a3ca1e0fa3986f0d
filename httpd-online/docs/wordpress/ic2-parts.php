<?php
// SPDX-License-Identifier: Apache-2.0
/*
 * Plugin Name: IC² parts
 * Description: Parts of a page that are the same for everybody, from a minute ago, for members too: classic menus, widgets and
 *              blocks that list something, and what a theme declares. Only while the mitigation level asks for it.
 *
 * Must-use plugin: copy this file into wp-content/mu-plugins/, and parts.php and standby-parts.php into the directory ic2 in there.
 * It needs WordPress 5.9, PHP 8.0, and APCu or a persistent object cache; without them it changes nothing. A theme's own part:
 *
 *     if (function_exists('ic2_part')) { echo ic2_part('related', 'my_related_posts'); }      // a function that returns HTML
 */

// WordPress loads each file of this directory, with any PHP: so what needs a newer one is in a directory of its own.
if (defined('ABSPATH') && PHP_VERSION_ID >= 80000 && is_readable(__DIR__ . '/ic2/standby-parts.php') && is_readable(__DIR__ . '/ic2/parts.php')) {
    require_once __DIR__ . '/ic2/standby-parts.php';
    require_once __DIR__ . '/ic2/parts.php';
}
