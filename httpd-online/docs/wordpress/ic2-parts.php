<?php
// SPDX-License-Identifier: Apache-2.0
/*
 * Plugin Name: IC² parts
 * Description: Parts of a page that are the same for everybody, from a minute ago, for members too: classic menus, widgets and
 *              blocks that list something, and what a theme declares. Only while the mitigation level asks for it.
 *
 * Must-use plugin: copy this file into wp-content/mu-plugins/, and standby-parts.php into the directory ic2 in there. It needs
 * WordPress 5.9, PHP 8.0, and APCu or a persistent object cache; without them it changes nothing. A theme's own part:
 *
 *     echo function_exists('ic2_part') ? ic2_part('related', 'my_related_posts') : my_related_posts();    // returns HTML
 *
 * Whose part it is:
 * - A part is stored only as it was built for nobody: not logged in, no cookie but harmless ones. So it holds nothing of a member.
 * - A member gets it only after a member with the same roles had built the same bytes for the same address. One member whose part
 *   differs ends that for all with these roles, for an hour.
 * - Nobody else gets it: other visitors have mod_standby's pages.
 * - A part that does more than return HTML (style rules, hooks, identifiers counted on the page) is not stored, nor is one of
 *   an address with a query, or of a page that is not there.
 */

if (!defined('ABSPATH')) {
    exit;
}
// In a directory of its own: WordPress loads each file of this one, and an older PHP cannot read that one.
if (PHP_VERSION_ID >= 80000 && is_readable(__DIR__ . '/ic2/standby-parts.php')) {
    require_once __DIR__ . '/ic2/standby-parts.php';
}

/** WordPress' own object cache, where it lasts longer than a request. */
final class Ic2_Parts_Object_Cache
{
    public function get($name)
    {
        $kept = wp_cache_get($name, 'ic2_parts', true, $found);
        return $found ? $kept : null;
    }

    public function set($name, $value, $seconds)
    {
        return wp_cache_set($name, $value, 'ic2_parts', $seconds);
    }

    public function delete($name)
    {
        return wp_cache_delete($name, 'ic2_parts');
    }
}

/** APCu, at most until half of its memory is used: when it is full it forgets everything, of others too. */
final class Ic2_Parts_Memory
{
    public function get($name)
    {
        $kept = apcu_fetch($name);
        return is_array($kept) && $kept[0] >= time() ? $kept[1] : null;
    }

    public function set($name, $value, $seconds)
    {
        $memory = apcu_sma_info(true);
        if ($memory['avail_mem'] * 2 < $memory['num_seg'] * $memory['seg_size']) {
            $this->clean();
            return false;
        }
        return apcu_store($name, [time() + $seconds, $value]);
    }

    public function delete($name)
    {
        return apcu_delete($name);
    }

    /** APCu itself keeps what is out of date until it is full. */
    private function clean()
    {
        if (!apcu_add('ic2_parts.cleaned', 1, 60)) {
            return;
        }
        foreach (new APCUIterator('/^ic2_parts\./', APC_ITER_KEY | APC_ITER_VALUE) as $entry) {
            if (!is_array($entry['value']) || $entry['value'][0] < time()) {
                apcu_delete($entry['key']);
            }
        }
    }
}

final class Ic2_Parts
{
    /** How long a proof holds, and how long a part of nobody's is kept to compare with. */
    private const PROOF_S = 3600;
    private const MOST_BYTES = 65536;
    private const HARMLESS_COOKIES = '/^(?:_ga|_gid|_gat|_fbp|_gcl_au|_pk_(?:id|ses)|wordpress_test_cookie|ic2_pass)(?:[._]|$)/';
    private const NAMES = [
        'core/archives', 'core/calendar', 'core/categories', 'core/latest-comments', 'core/latest-posts', 'core/page-list', 'core/rss',
        'core/tag-cloud', 'WP_Nav_Menu_Widget', 'WP_Widget_Archives', 'WP_Widget_Calendar', 'WP_Widget_Categories', 'WP_Widget_Pages',
        'WP_Widget_Recent_Comments', 'WP_Widget_Recent_Posts', 'WP_Widget_RSS', 'WP_Widget_Tag_Cloud', 'menu',
    ];

    /** @var list<array{name: string, kind: string, begun: float, effects: array}> parts that are being built, the inner last */
    private array $open = [];
    private ?array $names = null;
    private ?string $visitor = null;
    private bool $asked = false;

    private object $store;
    private int $counted = 0;

    public function __construct(object $store)
    {
        $this->store = $store;
        add_filter('pre_render_block', [$this, 'block'], PHP_INT_MAX, 3);
        add_filter('render_block', fn ($html, $block) => $this->built($block['blockName'] ?? '', $html), PHP_INT_MAX, 2);
        add_filter('pre_wp_nav_menu', [$this, 'menu'], PHP_INT_MAX, 2);
        add_filter('wp_nav_menu', fn ($html) => $this->built('menu', $html), PHP_INT_MAX);
        add_filter('widget_display_callback', [$this, 'widget'], PHP_INT_MAX, 3);
    }

    /** Memory that all of PHP's processes share; null: there is none, and each part is built. */
    public static function store(): ?object
    {
        return wp_using_ext_object_cache() ? new Ic2_Parts_Object_Cache() : (Ic2\ApcuParts::available() ? new Ic2_Parts_Memory() : null);
    }

    public function block($html, $block, $parent = null)
    {
        $name = $block['blockName'] ?? '';
        return $html !== null || !$this->is_named($name) ? $html : $this->stored($name, [$block, $parent->context ?? null]);
    }

    public function menu($html, $args)
    {
        $args = (array) $args;
        unset($args['echo']);
        return $html !== null || !$this->is_named('menu') ? $html : $this->stored('menu', $args);
    }

    public function widget($instance, $widget, $args)
    {
        $kind = get_class($widget);
        if ($instance === false || !$this->is_named($kind)) {
            return $instance;
        }
        $html = $this->stored($kind, [$instance, $args, $widget->id]);
        if ($html === null) {
            ob_start();
            try {
                $widget->widget($args, $instance);
            } finally {
                $html = ob_get_clean();
            }
            $this->built($kind, $html);
        }
        echo $html;
        return false;
    }

    /** What a theme or a plugin declares to be the same for everybody who has the same roles. */
    public function part(string $key, callable $build): string
    {
        $kind = 'own:' . $key;
        return $this->stored($kind, []) ?? $this->built($kind, (string) $build());
    }

    private function is_named($name): bool
    {
        // asked late, so that a theme's functions.php may add to it
        return in_array($name, $this->names ??= (array) apply_filters('ic2_parts_names', self::NAMES), true);
    }

    /** The stored part, if it may be served to this visitor now; else null, and it is noted that one is being built. */
    private function stored(string $kind, array $what): ?string
    {
        $visitor = $this->visitor();
        $name = $visitor === null ? null : $this->name($kind, $what);
        if ($name === null) {
            return null;
        }
        $age = Ic2\StandbyParts::shared()->age();
        if ($age > 0 && $visitor !== '') {
            $kept = $this->kept($name);
            $is = $kept === null ? -1 : microtime(true) - $kept['built'];
            if ($is >= 0 && $is < $age && $this->store->get("$name.same.$visitor") === md5($kept['html'])
                    && $this->store->get("$name.differs.$visitor") === null) {
                foreach ($this->open as $at => $outer) {    // what holds it is not younger
                    $this->open[$at]['begun'] = min($outer['begun'], $kept['built']);
                }
                array_map('wp_enqueue_style', $kept['styles']);
                array_map('wp_enqueue_script', $kept['scripts']);
                return $kept['html'];
            }
        }
        $this->open[] = ['name' => $name, 'kind' => $kind, 'begun' => microtime(true), 'effects' => $this->effects()];
        return null;
    }

    /** Compares and stores what was built; returns it. */
    private function built($kind, $html)
    {
        if (!in_array($kind, array_column($this->open, 'kind'), true)) {
            return $html;
        }
        do {    // what lies further in was begun and never came here: a menu without an entry
            $part = array_pop($this->open);
        } while ($part['kind'] !== $kind);
        $name = $part['name'];
        $visitor = $this->visitor();
        $kept = $this->kept($name);
        $effects = $this->effects();
        $is_alone = is_string($html) && strlen($html) <= self::MOST_BYTES && strpos($html, 'data-wp-interactive') === false
            && $effects['count'] === $part['effects']['count'] && $effects['other'] === $part['effects']['other'];
        if ($visitor === '') {
            $is_alone ? $this->store->set($name, ['html' => $html, 'built' => $part['begun'],
                'styles' => array_values(array_diff($effects['styles'], $part['effects']['styles'])),
                'scripts' => array_values(array_diff($effects['scripts'], $part['effects']['scripts']))], self::PROOF_S)
                : $this->store->delete($name);
        } elseif ($kept !== null && $is_alone && $kept['html'] === $html) {
            $this->store->set("$name.same.$visitor", md5($html), self::PROOF_S);
            $this->store->set($name, ['built' => $part['begun']] + $kept, self::PROOF_S);
        } elseif ($kept !== null) {
            $this->store->set("$name.differs.$visitor", 1, self::PROOF_S);
        }
        return $html;
    }

    private function kept(string $name): ?array
    {
        $kept = $this->store->get($name);
        return is_array($kept) && isset($kept['html'], $kept['built'], $kept['styles'], $kept['scripts']) ? $kept : null;
    }

    /** '' for nobody, the roles for a member; null for anybody else, and where parts are not for. */
    private function visitor(): ?string
    {
        if (!$this->asked && did_action('wp')) {
            $this->asked = true;
            $this->visitor = $this->who();
        }
        return $this->visitor;
    }

    private function who(): ?string
    {
        if (!in_array($_SERVER['REQUEST_METHOD'] ?? '', ['GET', 'HEAD'], true) || is_admin() || wp_doing_ajax() || wp_doing_cron() || is_feed()
                || is_404() || is_preview() || is_customize_preview() || defined('REST_REQUEST') || defined('XMLRPC_REQUEST')
                || $this->path() === null) {
            return null;
        }
        if (is_user_logged_in()) {
            $roles = wp_get_current_user()->roles;
            sort($roles);
            return 'member:' . md5(serialize([$roles, is_super_admin(), is_admin_bar_showing()]));
        }
        foreach (array_keys($_COOKIE) as $cookie) {
            if (preg_match(self::HARMLESS_COOKIES, (string) $cookie) !== 1) {
                return null;
            }
        }
        return isset($_SERVER['HTTP_AUTHORIZATION']) || isset($_SERVER['REMOTE_USER']) || isset($_SERVER['PHP_AUTH_USER']) ? null : '';
    }

    /** Of an address that has no query and is written in the one usual way: others are without number. */
    private function path(): ?string
    {
        $asked = $_SERVER['REQUEST_URI'] ?? '';
        $path = rawurldecode($asked);
        $usual = implode('/', array_map('rawurlencode', explode('/', $path)));
        return strcasecmp($usual, $asked) === 0 && strlen($asked) < 1000 ? $path : null;
    }

    /** All that a part may depend on but for the visitor; null where it depends on what cannot be written down. */
    private function name(string $kind, array $what): ?string
    {
        try {
            return 'ic2_parts.' . md5(serialize([$kind, $what, $_SERVER['HTTP_HOST'] ?? '', $this->path(), is_ssl(), home_url(),
                get_current_blog_id(), determine_locale(), get_stylesheet(), get_the_ID()]));
        } catch (\Throwable $e) {
            return null;
        }
    }

    /** What else a part may do to a page: 'other' and 'count' must be the same before and after. */
    private function effects(): array
    {
        global $wp_filter;
        $other = ['headers' => headers_list()];
        foreach (['style' => wp_styles(), 'script' => wp_scripts()] as $kind => $all) {
            $other[$kind] = count($all->registered);
            foreach ($all->registered as $handle => $one) {
                foreach (['before', 'after', 'data'] as $place) {
                    if (!empty($one->extra[$place])) {
                        $other["$kind $handle $place"] = is_array($one->extra[$place]) ? count($one->extra[$place]) : strlen((string) $one->extra[$place]);
                    }
                }
            }
        }
        foreach (['wp_head', 'wp_footer', 'wp_print_footer_scripts', 'wp_enqueue_scripts'] as $hook) {
            $other["hook $hook"] = isset($wp_filter[$hook]) ? array_sum(array_map('count', $wp_filter[$hook]->callbacks)) : 0;
        }
        if (class_exists('WP_Style_Engine_CSS_Rules_Store')) {
            foreach (WP_Style_Engine_CSS_Rules_Store::get_stores() as $key => $one) {
                $other["rules $key"] = count($one->get_all_rules());
            }
        }
        // asking for the count of identifiers takes one
        return ['styles' => wp_styles()->queue, 'scripts' => wp_scripts()->queue, 'count' => (int) wp_unique_id() - ++$this->counted, 'other' => $other];
    }
}

/** A part of a page that is the same for everybody with the same roles; $build returns its HTML. */
function ic2_part(string $key, callable $build): string
{
    $parts = $GLOBALS['ic2_parts'] ?? null;
    return $parts instanceof Ic2_Parts ? $parts->part($key, $build) : (string) $build();
}

if (class_exists('Ic2\StandbyParts', false) && ($ic2_parts_store = Ic2_Parts::store()) !== null) {
    $GLOBALS['ic2_parts'] = new Ic2_Parts($ic2_parts_store);
}
