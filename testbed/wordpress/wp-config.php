<?php
// SPDX-License-Identifier: Apache-2.0
// WordPress on the testbed: its database and address come from the environment, and it asks no other host.
define('DB_NAME', 'wordpress');
define('DB_USER', 'wordpress');
define('DB_PASSWORD', getenv('IC2_DB_PASSWORD'));
define('DB_HOST', 'localhost:' . getenv('IC2_DB_SOCKET'));
define('DB_CHARSET', 'utf8mb4');
define('DB_COLLATE', '');
define('WP_HOME', getenv('IC2_SITE'));
define('WP_SITEURL', getenv('IC2_SITE'));
foreach (['AUTH', 'SECURE_AUTH', 'LOGGED_IN', 'NONCE'] as $name) {
    define($name . '_KEY', hash('sha256', $name . '_KEY' . DB_PASSWORD));
    define($name . '_SALT', hash('sha256', $name . '_SALT' . DB_PASSWORD));
}
define('WP_HTTP_BLOCK_EXTERNAL', true);
define('AUTOMATIC_UPDATER_DISABLED', true);
define('DISABLE_WP_CRON', true);
define('WP_DEBUG', false);
$table_prefix = 'wp_';
if (!defined('ABSPATH')) {
    define('ABSPATH', __DIR__ . '/');
}
require_once ABSPATH . 'wp-settings.php';
