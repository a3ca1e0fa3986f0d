<?php
// SPDX-License-Identifier: Apache-2.0
// Serves the application from PHP's built-in server, for development and tests without httpd:
//   OLIO_STATE=... php -S 127.0.0.1:8000 dev-router.php
declare(strict_types=1);

$path = rawurldecode((string) parse_url((string) $_SERVER['REQUEST_URI'], PHP_URL_PATH));
if (preg_match('~^/(static|media)/([a-z0-9]+/)*[a-z0-9]+\.(css|js|svg|jpg)$~D', $path, $match) === 1) {
    $file = getenv('OLIO_STATE') . $path;
    if (!is_file($file)) {
        http_response_code(404);
        return true;
    }
    $types = ['css' => 'text/css', 'js' => 'text/javascript', 'svg' => 'image/svg+xml', 'jpg' => 'image/jpeg'];
    header('Content-Type: ' . $types[$match[3]]);
    readfile($file);
    return true;
}
$_SERVER['PATH_INFO'] = $path;
// here the environment stands for what a web server tells each request
$_SERVER['MITIGATION_BROWNOUT'] = (string) getenv('MITIGATION_BROWNOUT');
require __DIR__ . '/public/index.php';
return true;
