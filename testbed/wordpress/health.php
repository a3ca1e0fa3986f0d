<?php
// SPDX-License-Identifier: Apache-2.0
// Whether PHP and the database answer.
mysqli_report(MYSQLI_REPORT_OFF);
$database = @mysqli_connect('localhost', 'wordpress', getenv('IC2_DB_PASSWORD'), 'wordpress', 0, getenv('IC2_DB_SOCKET'));
header('Content-Type: text/plain');
header('Cache-Control: no-store');
if (!$database || !$database->query('SELECT 1')) {
    http_response_code(503);
    echo "no database\n";
    exit;
}
echo "ok\n";
