<?php
// SPDX-License-Identifier: Apache-2.0
declare(strict_types=1);

namespace Olio;

use Random\Engine\Mt19937;
use Random\Randomizer;

/** Fills the database. The same scale, seed, base date and password cost give the same rows, in both databases. */
final class Loader
{
    private const EVENTS_PER_SCALE = 2000;
    private const PERSONS_PER_SCALE = 2000;
    private const TAGS = 400;
    private const TAGS_PER_EVENT = 4;
    private const ATTENDEES_PER_EVENT = 12;
    private const COMMENTS_PER_EVENT = 25;
    private const ROWS_PER_STATEMENT = 200;
    private const DAYS_BACK = 30;
    private const DAYS_AHEAD = 150;

    private Randomizer $random;

    /** @param int $base epoch second of the day around which the events lie */
    public function __construct(
        private readonly Database $db,
        private readonly float $scale,
        int $seed,
        private readonly int $base,
        private readonly int $passwordCost,
    ) {
        $this->random = new Randomizer(new Mt19937($seed));
    }

    public function events(): int
    {
        return max(20, (int) round(self::EVENTS_PER_SCALE * $this->scale));
    }

    public function persons(): int
    {
        return max(20, (int) round(self::PERSONS_PER_SCALE * $this->scale));
    }

    public function tags(): int
    {
        return min(self::TAGS, max(20, (int) round(self::TAGS * $this->scale)));
    }

    /** Replaces all tables. @param array<string, string> $about what to keep in the table `meta` */
    public function load(array $about): void
    {
        Schema::drop($this->db);
        Schema::create($this->db);
        $this->db->transaction(function () use ($about): void {
            $this->loadPersons();
            $events = $this->eventTags();
            $attendees = $this->attendance();
            $this->loadEvents(array_map('count', $attendees));
            $this->insert('event_tag (tag_id, event_id)', $this->pairs($events));
            $this->insert('attendance (event_id, person_id)', $this->pairs($attendees));
            $this->comments();
            $sizes = ['events' => $this->events(), 'persons' => $this->persons(), 'tags' => $this->tags()];
            foreach ($about + $sizes as $name => $value) {
                $this->db->execute('INSERT INTO meta (name, value) VALUES (?, ?)', [$name, (string) $value]);
            }
        });
        Schema::index($this->db);
        $this->db->script($this->db->isSqlite ? 'ANALYZE' : 'ANALYZE TABLE event, event_tag, attendance, comment, person, tag');
    }

    private function loadPersons(): void
    {
        $this->insert('person (id, login, password_hash, name, city, summary, image, created_at)', (function (): \Generator {
            for ($id = 1; $id <= $this->persons(); $id++) {
                yield [$id, "user$id", $this->passwordHash("pass$id"), $this->one(Words::FIRST) . ' ' . $this->one(Words::LAST),
                    $this->one(Words::CITIES), $this->sentences(3), 'person/' . $id % Images::SEEDED . '.jpg', $this->past()];
            }
        })());
    }

    /** Rows of events; needs the persons. @param array<int, int> $attendees number by event */
    private function loadEvents(array $attendees): void
    {
        $this->insert(
            'event (id, owner_id, title, summary, description, place, starts_at, image, attendees, created_at)',
            (function () use ($attendees): \Generator {
                for ($id = 1; $id <= $this->events(); $id++) {
                    $title = $this->one(Words::MOODS) . ' ' . ucfirst($this->one(Words::TAGS)) . ' ' . $this->one(Words::KINDS);
                    $description = $this->sentences(6) . "\n" . $this->sentences(8) . "\n" . $this->sentences(5);
                    yield [$id, $this->random->getInt(1, $this->persons()), $title, $this->sentences(3), $description,
                        $this->one(Words::VENUES) . ', ' . $this->one(Words::CITIES), $this->start(),
                        'event/' . $id % Images::SEEDED . '.jpg', $attendees[$id], $this->past()];
                }
            })(),
        );
    }

    /**
     * Tags and which of them each event carries: the chance of a tag falls with the root of its rank.
     *
     * @return array<int, list<int>> events by tag
     */
    private function eventTags(): array
    {
        $tags = $this->tags();
        $byTag = array_fill(1, $tags, []);
        for ($event = 1; $event <= $this->events(); $event++) {
            // every tag gets some events for certain
            $chosen = [1 + $event % $tags => true];
            while (count($chosen) < self::TAGS_PER_EVENT) {
                $chosen[1 + (int) ($tags * ($this->random->getInt(0, 999999) / 1e6) ** 2)] = true;
            }
            foreach (array_keys($chosen) as $tag) {
                $byTag[$tag][] = $event;
            }
        }
        $words = count(Words::TAGS);
        $this->insert('tag (id, name, uses)', array_map(
            static fn (int $tag): array => [
                $tag,
                Words::TAGS[($tag - 1) % $words] . Words::TAG_KINDS[intdiv($tag - 1, $words)],
                count($byTag[$tag]),
            ],
            range(1, $tags),
        ));
        return $byTag;
    }

    /** @return array<int, list<int>> persons by event */
    private function attendance(): array
    {
        $byEvent = [];
        for ($event = 1; $event <= $this->events(); $event++) {
            $chosen = [];
            $count = $this->random->getInt(1, min($this->persons(), 2 * self::ATTENDEES_PER_EVENT));
            while (count($chosen) < $count) {
                $chosen[$this->random->getInt(1, $this->persons())] = true;
            }
            $byEvent[$event] = array_keys($chosen);
        }
        return $byEvent;
    }

    private function comments(): void
    {
        $this->insert('comment (event_id, person_id, rating, body, created_at)', (function (): \Generator {
            for ($event = 1; $event <= $this->events(); $event++) {
                for ($i = 0; $i < self::COMMENTS_PER_EVENT; $i++) {
                    $body = trim($this->fill($this->one(Words::REMARKS)) . $this->sentences($this->random->getInt(0, 2)));
                    yield [$event, $this->random->getInt(1, $this->persons()), $this->random->getInt(2, 5), $body, $this->past()];
                }
            }
        })());
    }

    /**
     * @param array<int, list<int>> $lists
     * @return \Generator<list<int>>
     */
    private function pairs(array $lists): \Generator
    {
        foreach ($lists as $key => $values) {
            foreach ($values as $value) {
                yield [$key, $value];
            }
        }
    }

    /** Many rows a statement. @param iterable<list<int|string>> $rows */
    private function insert(string $into, iterable $rows): void
    {
        $batch = [];
        foreach ($rows as $row) {
            $batch[] = $row;
            if (count($batch) === self::ROWS_PER_STATEMENT) {
                $this->flush($into, $batch);
                $batch = [];
            }
        }
        if ($batch !== []) {
            $this->flush($into, $batch);
        }
    }

    /** @param non-empty-list<list<int|string>> $batch */
    private function flush(string $into, array $batch): void
    {
        $marks = '(' . Database::marks(count($batch[0])) . ')';
        $sql = "INSERT INTO $into VALUES " . implode(',', array_fill(0, count($batch), $marks));
        $this->db->execute($sql, array_merge(...$batch));
    }

    /** bcrypt with a salt of the seed's making, so that the same seed gives the same rows. */
    private function passwordHash(string $password): string
    {
        $salt = substr(strtr(base64_encode($this->random->getBytes(17)), '+', '.'), 0, 22);
        return crypt($password, sprintf('$2y$%02d$%s', $this->passwordCost, $salt));
    }

    /** @param list<string> $words */
    private function one(array $words): string
    {
        return $words[$this->random->getInt(0, count($words) - 1)];
    }

    private function sentences(int $count): string
    {
        $text = [];
        for ($i = 0; $i < $count; $i++) {
            $text[] = $this->fill($this->one(Words::SENTENCES));
        }
        return implode(' ', $text);
    }

    /** Puts words into the slots of a sentence. */
    private function fill(string $sentence): string
    {
        $text = (string) preg_replace_callback('~\{(\w)\}~', fn (array $slot): string => match ($slot[1]) {
            'a' => $this->one(Words::ADJECTIVES),
            'n' => $this->one(Words::NOUNS),
            'v' => $this->one(Words::VERBS),
            'c' => $this->one(Words::CITIES),
            'f' => $this->one(Words::FIRST),
            'd' => (string) $this->random->getInt(3, 40),
        }, $sentence);
        return ucfirst((string) preg_replace('~\b([Aa]) (?=[aeiou])~', '$1n ', $text));
    }

    private function start(): string
    {
        $day = $this->random->getInt(-self::DAYS_BACK, self::DAYS_AHEAD);
        $minute = 15 * $this->random->getInt(9 * 4, 22 * 4);
        return gmdate('Y-m-d H:i', $this->base + 86400 * $day + 60 * $minute);
    }

    private function past(): string
    {
        return gmdate('Y-m-d H:i', $this->base - $this->random->getInt(3600, 86400 * 200));
    }
}
