<?php
// SPDX-License-Identifier: Apache-2.0
// Fills the database: php load.php --scale 1 --seed 1. See --help.
declare(strict_types=1);

require __DIR__ . '/src/autoload.php';

const USAGE = <<<'TEXT'
usage: php load.php [--scale N] [--seed S] [--base YYYY-MM-DD] [--dsn DSN] [--replace]

Fills the database with persons, events, tags and comments. The same scale, seed, base date and password cost give the
same rows.

  --scale N     2000 N events and persons, 400 tags; decimals allowed; default 1
  --seed S      whole number; default 1
  --base DATE   the day around which the events lie (30 days before to 150 after); default: today, UTC
  --dsn DSN     sqlite:FILE or mysql:...;dbname=NAME; default: OLIO_DSN, else data/olio.sqlite in OLIO_STATE
  --replace     replace data of another scale or seed; without it such data are left alone and the exit status is 1
  --help        this text

Environment: OLIO_STATE, OLIO_DSN, OLIO_DB_USER, OLIO_DB_PASSWORD, OLIO_PASSWORD_COST.
A second call with the same scale and seed does nothing. Exit status: 0 loaded or already there, 1 failed, 2 usage.

TEXT;

function fail(int $status, string $message): never
{
    fwrite(STDERR, "load.php: error: $message\n");
    exit($status);
}

/** A SQLite file that root made belongs to whom the folder was made for, else the application could not write it. */
function giveToOwner(string $dsn): void
{
    $file = substr($dsn, strlen('sqlite:'));
    if (!str_starts_with($dsn, 'sqlite:') || posix_geteuid() !== 0 || !is_file($file)) {
        return;
    }
    foreach (array_filter([$file, "$file-wal", "$file-shm"], is_file(...)) as $part) {
        chown($part, (int) fileowner(dirname($file)));
        chgrp($part, (int) filegroup(dirname($file)));
    }
}

$options = getopt('', ['scale:', 'seed:', 'base:', 'dsn:', 'replace', 'help'], $rest);
if (isset($options['help'])) {
    echo USAGE;
    exit(0);
}
if ($rest < $argc) {
    fail(2, "unexpected argument {$argv[$rest]}\n" . USAGE);
}
$scale = $options['scale'] ?? '1';
$seed = $options['seed'] ?? '1';
$base = $options['base'] ?? gmdate('Y-m-d');
if (!is_numeric($scale) || $scale <= 0 || $scale > 1000) {
    fail(2, "--scale $scale: expected a number above 0 and up to 1000");
}
if (preg_match('~^\d{1,9}$~D', $seed) !== 1) {
    fail(2, "--seed $seed: expected a whole number of up to 9 digits");
}
$day = DateTimeImmutable::createFromFormat('!Y-m-d', $base, new DateTimeZone('UTC'));
if ($day === false || $day->format('Y-m-d') !== $base) {
    fail(2, "--base $base: expected a date such as 2026-03-01");
}
if (isset($options['dsn'])) {
    putenv('OLIO_DSN=' . $options['dsn']);
    getenv('OLIO_STATE') !== false || putenv('OLIO_STATE=.');
}

try {
    $start = microtime(true);
    $config = Olio\Config::fromEnvironment();
    $db = Olio\Database::connect($config->dsn, $config->dbUser, $config->dbPassword);
    if (Olio\Schema::exists($db) && !isset($options['replace'])) {
        $old = array_column($db->rows('SELECT name, value FROM meta'), 'value', 'name');
        if (($old['scale'] ?? '') === $scale && ($old['seed'] ?? '') === $seed) {
            echo "already loaded: scale $scale, seed $seed\n";
            exit(0);
        }
        if ($old !== []) {
            fail(1, "{$config->dsn} holds data of scale {$old['scale']}, seed {$old['seed']}; --replace replaces them");
        }
    }
    $loader = new Olio\Loader($db, (float) $scale, (int) $seed, $day->getTimestamp(), $config->passwordCost);
    $loader->load(['scale' => $scale, 'seed' => $seed, 'base' => $base]);
    giveToOwner($config->dsn);
    printf(
        "loaded %d events, %d persons, %d tags (scale %s, seed %s, base %s) in %.1f s\n",
        $loader->events(),
        $loader->persons(),
        $loader->tags(),
        $scale,
        $seed,
        $base,
        microtime(true) - $start,
    );
} catch (PDOException $error) {
    fail(1, "the database does not take the data: {$error->getMessage()}");
} catch (Olio\ConfigError $error) {
    fail(1, $error->getMessage());
}
