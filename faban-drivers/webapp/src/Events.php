<?php
// SPDX-License-Identifier: Apache-2.0
declare(strict_types=1);

namespace Olio;

/** Events, their attendance and comments. */
final class Events
{
    private const CARD = 'SELECT e.id, e.title, e.summary, e.place, e.starts_at, e.image, e.attendees,'
        . ' e.owner_id, p.name AS owner FROM event e JOIN person p ON p.id = e.owner_id';

    public function __construct(private readonly Database $db)
    {
    }

    /** @return list<array<string, mixed>> cards of the newest events, with their tags */
    public function latest(int $count): array
    {
        return $this->withTags($this->db->rows(self::CARD . " ORDER BY e.id DESC LIMIT $count"));
    }

    /** @return list<array<string, mixed>> */
    public function withTag(int $tag, int $count): array
    {
        return $this->withTags($this->db->rows(
            self::CARD . ' JOIN event_tag et ON et.event_id = e.id WHERE et.tag_id = ?'
            . " ORDER BY et.event_id DESC LIMIT $count",
            [$tag],
        ));
    }

    /** @return list<array<string, mixed>> */
    public function ownedBy(int $person, int $count): array
    {
        return $this->withTags($this->db->rows(
            self::CARD . " WHERE e.owner_id = ? ORDER BY e.id DESC LIMIT $count",
            [$person],
        ));
    }

    /** @return list<array<string, mixed>> */
    public function attendedBy(int $person, int $count): array
    {
        return $this->withTags($this->db->rows(
            self::CARD . ' JOIN attendance a ON a.event_id = e.id WHERE a.person_id = ?'
            . " ORDER BY a.event_id DESC LIMIT $count",
            [$person],
        ));
    }

    /**
     * Cards for the ids that exist, in the order of $ids, without tags.
     *
     * @param list<int> $ids
     * @return list<array<string, mixed>>
     */
    public function cards(array $ids): array
    {
        if ($ids === []) {
            return [];
        }
        $rows = $this->db->rows(self::CARD . ' WHERE e.id IN (' . Database::marks(count($ids)) . ')', $ids);
        $byId = array_column($rows, null, 'id');
        return array_values(array_filter(array_map(static fn (int $id): ?array => $byId[$id] ?? null, $ids)));
    }

    /** @return array<string, mixed>|null the event with its tags */
    public function find(int $id): ?array
    {
        $event = $this->db->row(
            'SELECT e.*, p.name AS owner FROM event e JOIN person p ON p.id = e.owner_id WHERE e.id = ?',
            [$id],
        );
        return $event === null ? null : $this->withTags([$event])[0];
    }

    /** @return list<array<string, mixed>> newest first */
    public function comments(int $event, int $count): array
    {
        return $this->db->rows(
            'SELECT c.person_id, c.rating, c.body, c.created_at, p.name, p.image FROM comment c'
            . " JOIN person p ON p.id = c.person_id WHERE c.event_id = ? ORDER BY c.id DESC LIMIT $count",
            [$event],
        );
    }

    /** @return list<array<string, mixed>> */
    public function attendees(int $event, int $count): array
    {
        return $this->db->rows(
            'SELECT p.id, p.name FROM attendance a JOIN person p ON p.id = a.person_id'
            . " WHERE a.event_id = ? ORDER BY a.person_id DESC LIMIT $count",
            [$event],
        );
    }

    public function attends(int $event, int $person): bool
    {
        return $this->db->value('SELECT 1 FROM attendance WHERE event_id = ? AND person_id = ?', [$event, $person]) !== null;
    }

    /** Adds an attendee; does nothing if the person attends already. */
    public function attend(int $event, int $person): void
    {
        $this->db->transaction(function () use ($event, $person): void {
            // The event's row first, and alone: who looks into attendance before keeps others from adding to it, and they him.
            $there = $this->db->execute('UPDATE event SET attendees = attendees + 1 WHERE id = ?', [$event]) === 1;
            if ($there && $this->db->insertOnce('attendance (event_id, person_id) VALUES (?, ?)', [$event, $person]) === 0) {
                $this->db->execute('UPDATE event SET attendees = attendees - 1 WHERE id = ?', [$event]);
            }
        });
    }

    public function highestId(): int
    {
        return (int) $this->db->value('SELECT MAX(id) FROM event');
    }

    /**
     * @param array{title: string, summary: string, description: string, place: string, starts: string} $fields
     * @param list<string> $tags
     * @param string $image path below /media/, or '' for one of the seeded pictures
     * @return int the new event's id
     */
    public function add(int $owner, array $fields, array $tags, string $image, int $now): int
    {
        $created = gmdate('Y-m-d H:i', $now);
        return $this->db->transaction(function () use ($owner, $fields, $tags, $image, $created): int {
            $image = $image !== '' ? $image : 'event/' . crc32($fields['title']) % Images::SEEDED . '.jpg';
            $id = $this->db->insert(
                'INSERT INTO event (owner_id, title, summary, description, place, starts_at, image, attendees, created_at)'
                . ' VALUES (?, ?, ?, ?, ?, ?, ?, 0, ?)',
                [$owner, $fields['title'], $fields['summary'], $fields['description'], $fields['place'],
                    $fields['starts'], $image, $created],
            );
            (new Tags($this->db))->attach($id, $tags);
            return $id;
        });
    }

    /**
     * @param list<array<string, mixed>> $events
     * @return list<array<string, mixed>>
     */
    private function withTags(array $events): array
    {
        if ($events === []) {
            return [];
        }
        $ids = array_column($events, 'id');
        $tags = [];
        $rows = $this->db->rows(
            'SELECT et.event_id, t.id, t.name FROM event_tag et JOIN tag t ON t.id = et.tag_id'
            . ' WHERE et.event_id IN (' . Database::marks(count($ids)) . ') ORDER BY et.tag_id',
            $ids,
        );
        foreach ($rows as $row) {
            $tags[$row['event_id']][] = $row;
        }
        foreach ($events as &$event) {
            $event['tags'] = $tags[$event['id']] ?? [];
        }
        return $events;
    }
}
