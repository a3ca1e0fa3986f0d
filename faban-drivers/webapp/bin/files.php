<?php
// SPDX-License-Identifier: Apache-2.0
// Makes the files of one installation in OLIO_STATE: static files with their compressed twins, the seeded pictures and
// the graph of similar events. Safe to repeat; the result is always the same.
declare(strict_types=1);

use Olio\CostProfile;
use Olio\Images;
use Random\Engine\Mt19937;
use Random\Randomizer;

require __DIR__ . '/../src/autoload.php';

const GRAPH_SEED = 20111111;

function fail(string $message): never
{
    fwrite(STDERR, "files.php: error: $message\n");
    exit(1);
}

/** Written aside and renamed: a server that runs never reads half a file. Unchanged files keep their time. */
function put(string $file, string $content): void
{
    is_dir(dirname($file)) || mkdir(dirname($file), 0755, true) || fail(dirname($file) . ': cannot be made');
    if (is_file($file) && file_get_contents($file) === $content) {
        return;
    }
    if (file_put_contents("$file.part", $content) !== strlen($content) || !rename("$file.part", $file)) {
        fail("$file: cannot be written");
    }
}

function staticFiles(string $folder): void
{
    foreach (glob(__DIR__ . '/../assets/*') ?: [] as $asset) {
        $content = (string) file_get_contents($asset);
        $file = "$folder/" . basename($asset);
        put($file, $content);
        if (!str_ends_with($asset, '.html')) {
            put("$file.gz", (string) gzencode($content, 9));
        }
    }
}

/**
 * The files that a page of the profile olio needs beside its pictures: as many as the original's pages have (17 to 21, the
 * driver knows which). Their sizes are chosen: it is not known how large the original's are. Each line is another one, so that
 * a server that compresses them has to do it.
 */
function originalFiles(string $folder): void
{
    $names = array_merge(
        array_map(static fn (int $i): string => "common$i." . ($i <= 3 ? 'css' : ($i <= 11 ? 'js' : 'png')), range(1, 17)),
        ['home1.png', 'home2.png', 'home3.png', 'home4.png', 'tag1.png', 'tag2.png', 'tag3.png', 'event1.png', 'event2.png',
            'event3.png', 'event4.png', 'person1.png', 'person2.png', 'person3.png', 'addperson1.js', 'addevent1.js', 'addevent2.png'],
    );
    foreach ($names as $name) {
        $random = new Randomizer(new Mt19937(crc32($name)));
        $line = match (pathinfo($name, PATHINFO_EXTENSION)) {
            'css' => static fn (): string => sprintf(".x%x { color: #%06x }\n", $random->getInt(0, 1 << 20), $random->getInt(0, 0xffffff)),
            'js' => static fn (): string => sprintf("// %s\n", bin2hex($random->getBytes(30))),
            default => null,
        };
        put("$folder/$name", $line === null ? noise($random) : implode('', array_map($line, range(1, 500))));
    }
}

/** A small PNG of about 2 kB. */
function noise(Randomizer $random): string
{
    $image = imagecreatetruecolor(26, 26);
    for ($i = 0; $i < 26 * 26; $i++) {
        imagesetpixel($image, $i % 26, intdiv($i, 26), $random->getInt(0, 0xffffff));
    }
    ob_start();
    imagepng($image);
    return (string) ob_get_clean();
}

/** A picture of soft circles on a slope of two colours. */
function picture(Randomizer $random): string
{
    $image = imagecreatetruecolor(Images::WIDTH, Images::HEIGHT);
    $from = [$random->getInt(20, 220), $random->getInt(60, 200), $random->getInt(60, 220)];
    $to = [$random->getInt(20, 220), $random->getInt(60, 200), $random->getInt(60, 220)];
    for ($y = 0; $y < Images::HEIGHT; $y++) {
        $part = $y / Images::HEIGHT;
        $mix = array_map(static fn (int $a, int $b): int => (int) ($a + ($b - $a) * $part), $from, $to);
        imageline($image, 0, $y, Images::WIDTH, $y, imagecolorallocate($image, ...$mix));
    }
    for ($i = 0; $i < 26; $i++) {
        $grey = $random->getInt(0, 1) * 255;
        $colour = imagecolorallocatealpha($image, $grey, $grey, $random->getInt(90, 255), $random->getInt(78, 112));
        $size = $random->getInt(20, 190);
        $x = $random->getInt(0, Images::WIDTH);
        $y = $random->getInt(0, Images::HEIGHT);
        imagefilledellipse($image, $x, $y, $size, $size, $colour);
    }
    ob_start();
    imagejpeg($image, null, 74);
    return (string) ob_get_clean();
}

function pictures(string $folder): void
{
    foreach (['event', 'person'] as $kind) {
        for ($i = 0; $i < Images::SEEDED; $i++) {
            $file = "$folder/$kind/$i.jpg";
            is_file($file) || put($file, picture(new Randomizer(new Mt19937(1000 * strlen($kind) + $i))));
        }
    }
}

/** Nodes with four random neighbours each, as a PHP array that opcache keeps in shared memory. */
function graph(string $file, int $nodes): void
{
    $random = new Randomizer(new Mt19937(GRAPH_SEED));
    $neighbours = [];
    for ($i = 0; $i < CostProfile::NEIGHBOURS * $nodes; $i++) {
        $neighbours[] = $random->getInt(0, $nodes - 1);
    }
    put($file, '<?php return [' . implode(',', $neighbours) . "];\n");
}

$state = getenv('OLIO_STATE') ?: fail('OLIO_STATE is not set');
$nodes = getenv('OLIO_GRAPH_NODES') ?: '8192';
if (preg_match('~^\d+$~D', $nodes) !== 1 || $nodes < 64 || $nodes > 1_000_000) {
    fail("OLIO_GRAPH_NODES=$nodes: expected a whole number from 64 to 1000000");
}
extension_loaded('gd') || fail('PHP has no gd; install the package php-gd');
staticFiles("$state/static/1");
pictures("$state/media");
if (getenv('OLIO_PROFILE') === 'olio') {
    originalFiles("$state/static/olio");
}
graph("$state/graph.php", (int) $nodes);
