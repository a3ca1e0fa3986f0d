<?php
// SPDX-License-Identifier: Apache-2.0
declare(strict_types=1);

namespace Olio;

/** Tags and which events carry them. */
final class Tags
{
    private const CLOUD_SIZE = 60;

    public function __construct(private readonly Database $db)
    {
    }

    /** @return list<array{id: int, name: string, uses: int}> the most used tags by name */
    public function cloud(): array
    {
        $tags = $this->db->rows('SELECT id, name, uses FROM tag ORDER BY uses DESC, id LIMIT ' . self::CLOUD_SIZE);
        usort($tags, static fn (array $a, array $b): int => strcmp($a['name'], $b['name']));
        return $tags;
    }

    /** @return array<string, mixed>|null */
    public function find(int $id): ?array
    {
        return $this->db->row('SELECT id, name, uses FROM tag WHERE id = ?', [$id]);
    }

    public function idOf(string $name): ?int
    {
        $id = $this->db->value('SELECT id FROM tag WHERE name = ?', [$name]);
        return $id === null ? null : (int) $id;
    }

    /** Gives an event its tags; new words become tags. @param list<string> $names */
    public function attach(int $event, array $names): void
    {
        sort($names);
        foreach ($names as $name) {
            $this->idOf($name) ?? $this->db->insertOnce('tag (name, uses) VALUES (?, 0)', [$name]);
            $this->db->execute('UPDATE tag SET uses = uses + 1 WHERE name = ?', [$name]);
            $this->db->execute('INSERT INTO event_tag (tag_id, event_id) VALUES (?, ?)', [$this->idOf($name), $event]);
        }
    }

    /**
     * The words of a tags field.
     *
     * @return list<string>|null null if there are none, more than eight, or one that is no tag
     */
    public static function parse(string $text): ?array
    {
        $words = array_values(array_unique(preg_split('~[\s,]+~', strtolower($text), -1, PREG_SPLIT_NO_EMPTY) ?: []));
        if ($words === [] || count($words) > 8) {
            return null;
        }
        foreach ($words as $word) {
            if (preg_match('~^[a-z0-9-]{2,30}$~D', $word) !== 1) {
                return null;
            }
        }
        return $words;
    }
}
