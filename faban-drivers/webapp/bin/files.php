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
extension_loaded('gd') || fail('PHP has no gd; install the package php8.2-gd');
staticFiles("$state/static/1");
pictures("$state/media");
graph("$state/graph.php", (int) $nodes);
