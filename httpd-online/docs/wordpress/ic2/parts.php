<?php
// SPDX-License-Identifier: Apache-2.0
/*
 * What ic2-parts.php loads. Whose part it is:
 * - A part is stored only as it was built for nobody: not logged in, no cookie but harmless ones, no other sign of a person. So it
 *   holds nothing of a member.
 * - A member gets it only after a member with the same roles and capabilities had the same bytes at the same address. Another one
 *   whose part differs ends that.
 * - Nobody else gets it: other visitors have mod_standby's pages.
 * - A part that does more than return HTML is built: style rules, hooks, headers, output, identifiers that WordPress counts, forms.
 *   So is a part at an address with a query, of a search, and of a page that is not there.
 */

declare(strict_types=1);

use Ic2\StandbyParts;

/** WordPress' own object cache, where it lasts longer than a request. */
final class Ic2_Parts_Object_Cache
{
    public function get(string $name): mixed
    {
        $kept = wp_cache_get($name, 'ic2_parts', true, $found);
        return $found ? $kept : null;
    }

    public function set(string $name, mixed $value, int $seconds): bool
    {
        return wp_cache_set($name, $value, 'ic2_parts', $seconds);
    }

    public function delete(string $name): void
    {
        wp_cache_delete($name, 'ic2_parts');
    }
}

/** APCu, at most until half of its memory is used: when it is full it forgets everything, of others too. */
final class Ic2_Parts_Memory
{
    public function get(string $name): mixed
    {
        $kept = apcu_fetch($name);
        return is_array($kept) && $kept[0] >= time() ? $kept[1] : null;
    }

    public function set(string $name, mixed $value, int $seconds): bool
    {
        $memory = apcu_sma_info(true);
        if ($memory['avail_mem'] * 2 < $memory['num_seg'] * $memory['seg_size']) {
            $this->clean();
            return false;
        }
        return apcu_store($name, [time() + $seconds, $value]);
    }

    public function delete(string $name): void
    {
        apcu_delete($name);
    }

    /** APCu itself keeps what is out of date until it is full. Once a minute: this looks at all names. */
    private function clean(): void
    {
        if (!apcu_add('ic2_parts_cleaned', 1, 60)) {
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
    /** Who has other bytes than nobody had so lately differs; later the site itself may have changed. */
    private const LATELY_S = 60;
    /** Of nobody's a part is written this seldom while it stays the same. */
    private const SELDOM_S = 10;
    private const MOST_BYTES = 65536;
    private const HARMLESS_COOKIES = '/^(?:_ga|_gid|_gat|_fbp|_gcl_au|_pk_(?:id|ses)|wordpress_test_cookie|ic2_pass)(?:[._]|$)/D';
    /** How servers name a person or a certificate. */
    private const PERSONS = '/^(?:REDIRECT_)*(?:REMOTE_USER|AUTH_TYPE|PHP_AUTH_.*|HTTP_AUTHORIZATION|SSL_CLIENT_(?!VERIFY).*|OIDC_.*|MELLON_.*'
        . '|HTTP_X_[A-Z_]*USER.*)$/D';
    /** Of identifiers that WordPress counts in ways that cannot be seen, and of scripts that ask for such a one. */
    private const REFUSED = ['data-wp-interactive', '<script', '<style', '<select', '<form', '<iframe'];
    private const NAMES = [
        'core/archives', 'core/categories', 'core/latest-comments', 'core/latest-posts', 'core/page-list', 'core/rss', 'core/tag-cloud',
        'WP_Widget_Archives', 'WP_Widget_Categories', 'WP_Widget_Pages', 'WP_Widget_Recent_Posts', 'WP_Widget_RSS', 'WP_Widget_Tag_Cloud', 'menu',
    ];

    /** @var list<array<string, mixed>> parts that are being built, the inner last; a name of null: it is not stored */
    private array $open = [];
    private ?array $names = null;
    private array $hooked = [];
    /** @var array{int, int, ?string}|null user and site for whom it was asked, and the answer */
    private ?array $visitor = null;
    private int $counted = 0;

    public function __construct(private object $store)
    {
        add_filter('pre_render_block', [$this, 'block'], PHP_INT_MAX, 3);
        add_filter('pre_wp_nav_menu', [$this, 'menu'], PHP_INT_MAX, 2);
        add_filter('wp_nav_menu', fn ($html, $args) => $this->built('menu', $args, $html), PHP_INT_MAX, 2);
        add_filter('widget_display_callback', [$this, 'widget'], PHP_INT_MAX, 3);
    }

    /** Memory that all of PHP's processes share; null: there is none, and each part is built. */
    public static function store(): ?object
    {
        return wp_using_ext_object_cache() ? new Ic2_Parts_Object_Cache() : (Ic2\ApcuParts::available() ? new Ic2_Parts_Memory() : null);
    }

    public function block($html, $block, $parent = null)
    {
        $kind = $block['blockName'] ?? '';
        if ($html !== null || !$this->is_named($kind)) {
            return $html;
        }
        if (!isset($this->hooked[$kind])) {
            // the last filter that a block passes; a plugin may hide it there from some
            $this->hooked[$kind] = true;
            add_filter("render_block_$kind", fn ($html, $block) => $this->built($kind, $block, $html), PHP_INT_MAX, 2);
        }
        return $this->stored($kind, $block, [$block, $parent->context ?? null]);
    }

    public function menu($html, $args)
    {
        if ($html !== null || !$this->is_named('menu')) {
            return $html;
        }
        $what = (array) $args;
        unset($what['echo']);
        // without an identifier of its own a menu gets one that WordPress counts
        $html = $this->stored('menu', $args, empty($what['menu_id']) ? null : $what);
        if ($html !== null && function_exists('_nav_menu_item_id_use_once')) {
            // that an entry is on the page once, with its identifier
            preg_match_all('/ id="menu-item-(\d+)"/', $html, $found);
            array_map(fn (string $id): string => _nav_menu_item_id_use_once('', (object) ['ID' => (int) $id]), $found[1]);
        }
        return $html;
    }

    public function widget($instance, $widget, $args)
    {
        $kind = get_class($widget);
        // one of a sidebar; the_widget() does more after this filter
        if (!is_array($instance) || !$this->is_named($kind) || ($args['widget_id'] ?? null) !== $widget->id || $this->visitor() === null) {
            return $instance;
        }
        $html = $this->stored($kind, $widget, [$instance, $args]);
        if ($html === null) {
            ob_start();
            try {
                $widget->widget($args, $instance);
            } finally {
                $html = (string) ob_get_clean();
            }
            $this->built($kind, $widget, $html);
        }
        echo $html;
        return false;
    }

    /** What a theme or a plugin declares to be the same for everybody who has the same roles. */
    public function part(string $key, callable $build): string
    {
        $kind = 'own:' . $key;
        $of = new stdClass();
        $html = $this->stored($kind, $of, []);
        if ($html !== null) {
            return $html;
        }
        ob_start();
        try {
            $html = (string) $build();
        } finally {
            $printed = (string) ob_get_clean();
        }
        echo $printed;
        return $this->built($kind, $printed === '' ? $of : null, $html);
    }

    private function is_named($name): bool
    {
        // asked late, so that a theme's functions.php may change it
        return in_array($name, $this->names ??= (array) apply_filters('ic2_parts_names', self::NAMES), true);
    }

    /** The stored part, if it may be served to this visitor now; else null, and it is noted that one is being built. */
    private function stored(string $kind, mixed $of, ?array $what): ?string
    {
        $visitor = $this->visitor();
        $name = $visitor === null || $what === null ? null : $this->name($kind, $what);
        $age = $name === null || $visitor === '' ? 0 : $this->age();
        if ($age > 0) {
            $kept = $this->kept($name);
            $is = $kept === null ? -1 : microtime(true) - $kept['built'];
            if ($is >= 0 && $is < $age && $this->store->get("$name.same.$visitor") === md5($kept['html'])
                    && $this->store->get("$name.differs.$visitor") === null) {
                StandbyParts::holds($kept['built']);
                array_map('wp_enqueue_style', $kept['styles']);
                array_map('wp_enqueue_script', $kept['scripts']);
                return $kept['html'];
            }
        }
        $this->open[] = ['name' => $name, 'visitor' => $visitor, 'kind' => $kind, 'of' => $of, 'number' => StandbyParts::begin(),
            'effects' => $name === null ? [] : $this->effects()];
        return null;
    }

    /** Compares and stores what was built; returns it. */
    private function built(string $kind, mixed $of, mixed $html): mixed
    {
        // what lies further in was begun and never came here: a menu without an entry
        $at = array_key_last(array_filter($this->open, fn (array $part): bool => $part['kind'] === $kind));
        if ($at === null) {
            return $html;
        }
        $part = $this->open[$at];
        $begun = array_map(fn (array $one): float => StandbyParts::end($one['number']), array_splice($this->open, $at))[0];
        // another one than was begun, or the visitor is another one by now
        if ($part['name'] !== null && $part['of'] === $of && $part['visitor'] === $this->visitor() && is_string($html)) {
            $this->keep($part, $begun, $html, $this->effects());
        }
        return $html;
    }

    private function keep(array $part, float $begun, string $html, array $effects): void
    {
        ['name' => $name, 'visitor' => $visitor] = $part;
        $kept = $this->kept($name);
        $new = [];
        foreach (['styles', 'scripts'] as $kind) {
            $new[$kind] = array_values(array_diff($effects[$kind], $part['effects'][$kind]));
        }
        $is_alone = [$effects['count'], $effects['other']] === [$part['effects']['count'], $part['effects']['other']]
            && strlen($html) <= self::MOST_BYTES && str_replace(self::REFUSED, '', $html) === $html;
        $is_known = $kept !== null && $kept['html'] === $html && !array_diff($new['styles'], $kept['styles'])
            && !array_diff($new['scripts'], $kept['scripts']);
        if ($visitor === '') {
            if (!$is_alone) {
                $this->store->delete($name);
            } elseif (!$is_known || $begun - $kept['nobody'] > self::SELDOM_S) {
                $this->store->set($name, ['html' => $html, 'built' => $begun, 'nobody' => $begun] + $new, self::PROOF_S);
            }
        } elseif ($kept === null) {
            return;
        } elseif ($is_alone && $is_known) {
            $this->store->set("$name.same.$visitor", md5($html), self::PROOF_S);
            $this->store->set($name, ['built' => max($begun, $kept['built'])] + $kept, self::PROOF_S);
        } else {
            // first what always works: a store may be full
            $this->store->delete("$name.same.$visitor");
            if ($begun - $kept['nobody'] < self::LATELY_S) {
                $this->store->set("$name.differs.$visitor", 1, self::PROOF_S);
            }
        }
    }

    private function kept(string $name): ?array
    {
        $kept = $this->store->get($name);
        return is_array($kept) && isset($kept['html'], $kept['built'], $kept['nobody'], $kept['styles'], $kept['scripts']) ? $kept : null;
    }

    /** Seconds by StandbyParts; whoever has just sent a form has parts built. */
    private function age(): int
    {
        static $parts = null;
        $parts ??= new StandbyParts($this->store, (array) apply_filters('ic2_parts_ages', StandbyParts::AGES), fn (): string => 'a member');
        return $parts->age();
    }

    /** '' for nobody, roles and capabilities for a member; null for anybody else, and where parts are not for. */
    private function visitor(): ?string
    {
        if (!did_action('wp')) {
            return null;
        }
        $now = [get_current_user_id(), get_current_blog_id()];
        $this->visitor ??= [...$now, apply_filters('ic2_parts_visitor', $this->who())];
        return array_slice($this->visitor, 0, 2) === $now ? $this->visitor[2] : null;
    }

    private function who(): ?string
    {
        if (!in_array($_SERVER['REQUEST_METHOD'] ?? '', ['GET', 'HEAD'], true) || is_admin() || wp_doing_ajax() || wp_doing_cron() || is_feed()
                || is_404() || is_search() || is_preview() || is_customize_preview() || defined('REST_REQUEST') || defined('XMLRPC_REQUEST')
                || $this->path() === null) {
            return null;
        }
        if (is_user_logged_in()) {
            $user = wp_get_current_user();
            return 'member:' . md5(serialize([$user->roles, array_filter((array) $user->allcaps), is_super_admin(), is_admin_bar_showing()]));
        }
        foreach (array_keys($_COOKIE) as $cookie) {
            if (preg_match(self::HARMLESS_COOKIES, (string) $cookie) !== 1) {
                return null;
            }
        }
        foreach ($_SERVER as $name => $value) {
            if ($value !== '' && preg_match(self::PERSONS, (string) $name) !== 0) {
                return null;
            }
        }
        return '';
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
            return 'ic2_parts.' . md5(serialize([$kind, $what, __FILE__, $_SERVER['HTTP_HOST'] ?? '', $this->path(), is_ssl(), wp_is_mobile(),
                home_url(), get_current_blog_id(), determine_locale(), get_stylesheet(), get_the_ID()]));
        } catch (Throwable $e) {
            return null;
        }
    }

    /** What else a part may do to a page: 'other' and 'count' must be the same before and after. */
    private function effects(): array
    {
        global $wp_filter;
        $other = ['headers' => headers_list(), 'output' => [ob_get_level(), ob_get_length()]];
        foreach (['style' => wp_styles(), 'script' => wp_scripts()] as $kind => $all) {
            $other[$kind] = count($all->registered);
            foreach ($all->registered as $handle => $one) {
                foreach (['before', 'after', 'data'] as $place) {
                    if (!empty($one->extra[$place])) {
                        $is = $one->extra[$place];
                        $other["$kind $handle $place"] = is_array($is) ? count($is) : strlen((string) $is);
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
        foreach (['wp_script_modules', 'wp_interactivity'] as $newer) {       // of WordPress 6.5
            $other[$newer] = function_exists($newer) ? count((array) $newer(), COUNT_RECURSIVE) : 0;
        }
        // asking for the count of identifiers takes one
        $count = (int) wp_unique_id() - ++$this->counted;
        return ['styles' => wp_styles()->queue, 'scripts' => wp_scripts()->queue, 'count' => $count, 'other' => $other];
    }
}

/** A part of a page that is the same for everybody with the same roles; $build returns its HTML. */
function ic2_part(string $key, callable $build): string
{
    $parts = $GLOBALS['ic2_parts'] ?? null;
    return $parts instanceof Ic2_Parts ? $parts->part($key, $build) : (string) $build();
}

$ic2_parts_store = Ic2_Parts::store();
if ($ic2_parts_store !== null) {
    $GLOBALS['ic2_parts'] = new Ic2_Parts($ic2_parts_store);
}
unset($ic2_parts_store);
