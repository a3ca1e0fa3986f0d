<?php
// SPDX-License-Identifier: Apache-2.0
// For mod_php, as auto_prepend_file (mitigation.conf): while a page is built for the stand-by cache, httpd has it under a prefix of
// its own. Scripts are told the names that they have without it. (php-fpm is told by ProxyFCGISetEnvIf, and needs no prelude.)
if (($_SERVER['REDIRECT_standby_inside'] ?? '') === '1') {
    $_SERVER['SCRIPT_NAME'] = $_SERVER['REDIRECT_standby_script'] ?? '';
    $_SERVER['PATH_INFO'] = $_SERVER['REDIRECT_standby_info'] ?? '';
    $_SERVER['PHP_SELF'] = $_SERVER['SCRIPT_NAME'] . $_SERVER['PATH_INFO'];
    if ($_SERVER['PATH_INFO'] === '') {
        unset($_SERVER['PATH_INFO'], $_SERVER['PATH_TRANSLATED']);
    }
    if (isset($_SERVER['REDIRECT_standby_harmless'])) {
        $_SERVER['REQUEST_URI'] = $_SERVER['REDIRECT_standby_path']
            . (($_SERVER['QUERY_STRING'] ?? '') === '' ? '' : '?' . $_SERVER['QUERY_STRING']);
    }
    unset($_SERVER['REDIRECT_QUERY_STRING']);
}
