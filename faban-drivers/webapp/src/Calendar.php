<?php
// SPDX-License-Identifier: Apache-2.0
declare(strict_types=1);

namespace Olio;

/** The month in the side bar: how many events each day has. */
final class Calendar
{
    /** @param array<int, int> $counts events by day of the month */
    private function __construct(
        public readonly string $title,
        public readonly string $month,
        public readonly int $firstWeekday,
        public readonly int $days,
        public readonly int $today,
        public readonly array $counts,
    ) {
    }

    /** The month (UTC) that the epoch second $now is in. */
    public static function of(Database $db, int $now): self
    {
        $month = gmdate('Y-m', $now);
        $rows = $db->rows(
            'SELECT SUBSTR(starts_at, 9, 2) AS day, COUNT(*) AS n FROM event'
            . ' WHERE starts_at >= ? AND starts_at < ? GROUP BY SUBSTR(starts_at, 9, 2)',
            [$month . '-01', $month . '-32'],
        );
        $counts = [];
        foreach ($rows as $row) {
            $counts[(int) $row['day']] = (int) $row['n'];
        }
        $first = (int) gmdate('N', (int) strtotime("$month-01 UTC"));
        return new self(gmdate('F Y', $now), $month, $first, (int) gmdate('t', $now), (int) gmdate('j', $now), $counts);
    }
}
