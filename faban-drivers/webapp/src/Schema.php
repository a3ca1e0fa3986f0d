<?php
// SPDX-License-Identifier: Apache-2.0
declare(strict_types=1);

namespace Olio;

/** The tables, for both databases. */
final class Schema
{
    /** in the order in which they may be created; drop in reverse */
    public const TABLES = ['meta', 'person', 'session', 'event', 'tag', 'event_tag', 'attendance', 'comment'];

    public static function create(Database $db): void
    {
        $id = $db->isSqlite ? 'INTEGER PRIMARY KEY AUTOINCREMENT' : 'INTEGER PRIMARY KEY AUTO_INCREMENT';
        $end = $db->isSqlite ? '' : ' ENGINE=InnoDB DEFAULT CHARSET=utf8mb4';
        $tables = [
            'meta' => 'name VARCHAR(40) PRIMARY KEY, value VARCHAR(200) NOT NULL',
            'person' => "id $id, login VARCHAR(32) NOT NULL UNIQUE, password_hash VARCHAR(100) NOT NULL,
                name VARCHAR(80) NOT NULL, city VARCHAR(80) NOT NULL, summary VARCHAR(1000) NOT NULL,
                image VARCHAR(80) NOT NULL, created_at VARCHAR(16) NOT NULL",
            'session' => 'id_hash CHAR(64) PRIMARY KEY, person_id INTEGER NOT NULL, csrf CHAR(32) NOT NULL,
                expires_at INTEGER NOT NULL, FOREIGN KEY (person_id) REFERENCES person (id)',
            'event' => "id $id, owner_id INTEGER NOT NULL, title VARCHAR(120) NOT NULL, summary VARCHAR(500) NOT NULL,
                description TEXT NOT NULL, place VARCHAR(120) NOT NULL, starts_at VARCHAR(16) NOT NULL,
                image VARCHAR(80) NOT NULL, attendees INTEGER NOT NULL, created_at VARCHAR(16) NOT NULL,
                FOREIGN KEY (owner_id) REFERENCES person (id)",
            'tag' => "id $id, name VARCHAR(30) NOT NULL UNIQUE, uses INTEGER NOT NULL",
            'event_tag' => 'tag_id INTEGER NOT NULL, event_id INTEGER NOT NULL, PRIMARY KEY (tag_id, event_id),
                FOREIGN KEY (tag_id) REFERENCES tag (id), FOREIGN KEY (event_id) REFERENCES event (id)',
            'attendance' => 'event_id INTEGER NOT NULL, person_id INTEGER NOT NULL, PRIMARY KEY (event_id, person_id),
                FOREIGN KEY (event_id) REFERENCES event (id), FOREIGN KEY (person_id) REFERENCES person (id)',
            'comment' => "id $id, event_id INTEGER NOT NULL, person_id INTEGER NOT NULL, rating INTEGER NOT NULL,
                body VARCHAR(1000) NOT NULL, created_at VARCHAR(16) NOT NULL,
                FOREIGN KEY (event_id) REFERENCES event (id), FOREIGN KEY (person_id) REFERENCES person (id)",
        ];
        foreach ($tables as $name => $columns) {
            $db->script("CREATE TABLE $name ($columns)$end");
        }
    }

    /** Indexes are made after the bulk of the rows, which is faster. */
    public static function index(Database $db): void
    {
        $indexes = [
            'event' => ['starts_at', 'owner_id'],
            'event_tag' => ['event_id'],
            'attendance' => ['person_id'],
            'comment' => ['event_id'],
            'tag' => ['uses'],
            'session' => ['expires_at'],
        ];
        foreach ($indexes as $table => $columns) {
            foreach ($columns as $column) {
                $db->script("CREATE INDEX {$table}_by_$column ON $table ($column)");
            }
        }
    }

    public static function drop(Database $db): void
    {
        foreach (array_reverse(self::TABLES) as $table) {
            $db->script("DROP TABLE IF EXISTS $table");
        }
    }

    public static function exists(Database $db): bool
    {
        $sql = $db->isSqlite
            ? "SELECT COUNT(*) FROM sqlite_master WHERE type = 'table' AND name = 'meta'"
            : "SELECT COUNT(*) FROM information_schema.tables WHERE table_schema = DATABASE() AND table_name = 'meta'";
        return (int) $db->value($sql) > 0;
    }
}
