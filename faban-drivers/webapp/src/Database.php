<?php
// SPDX-License-Identifier: Apache-2.0
declare(strict_types=1);

namespace Olio;

use PDO;
use PDOStatement;

/** The data layer: SQLite and MariaDB behind the same few methods. All values travel as parameters. */
final class Database
{
    private const DEADLOCK = '40001';
    private const ATTEMPTS = 5;

    private function __construct(private readonly PDO $pdo, public readonly bool $isSqlite)
    {
    }

    /**
     * @param string $dsn a PDO DSN that starts with `sqlite:` or `mysql:`
     * @throws ConfigError for any other DSN
     * @throws \PDOException when the database does not answer
     */
    public static function connect(string $dsn, string $user, string $password): self
    {
        $sqlite = str_starts_with($dsn, 'sqlite:');
        if (!$sqlite && !str_starts_with($dsn, 'mysql:')) {
            throw new ConfigError("OLIO_DSN=$dsn: expected sqlite:FILE or mysql:...;dbname=NAME");
        }
        $options = [
            PDO::ATTR_ERRMODE => PDO::ERRMODE_EXCEPTION,
            PDO::ATTR_DEFAULT_FETCH_MODE => PDO::FETCH_ASSOC,
            PDO::ATTR_EMULATE_PREPARES => false,
            PDO::ATTR_STRINGIFY_FETCHES => false,
            // SQLite is cheap to open, and a kept connection could carry a broken-off transaction into the next request
            PDO::ATTR_PERSISTENT => PHP_SAPI !== 'cli' && !$sqlite,
            PDO::ATTR_TIMEOUT => 5,
        ];
        $pdo = new PDO($dsn, $user, $password, $options);
        if ($sqlite) {
            $pdo->exec('PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA busy_timeout=10000;'
                . ' PRAGMA foreign_keys=ON; PRAGMA mmap_size=268435456');
        }
        return new self($pdo, $sqlite);
    }

    /**
     * @param list<int|string|null> $values
     * @return list<array<string, mixed>>
     */
    public function rows(string $sql, array $values = []): array
    {
        return $this->run($sql, $values)->fetchAll();
    }

    /**
     * @param list<int|string|null> $values
     * @return array<string, mixed>|null
     */
    public function row(string $sql, array $values = []): ?array
    {
        $statement = $this->run($sql, $values);
        $row = $statement->fetch();
        $statement->closeCursor();
        return $row === false ? null : $row;
    }

    /** @param list<int|string|null> $values */
    public function value(string $sql, array $values = []): int|string|float|null
    {
        $row = $this->row($sql, $values);
        return $row === null ? null : reset($row);
    }

    /**
     * @param list<int|string|null> $values
     * @return int number of changed rows
     */
    public function execute(string $sql, array $values = []): int
    {
        return $this->run($sql, $values)->rowCount();
    }

    /**
     * @param list<int|string|null> $values
     * @return int the new row's id
     */
    public function insert(string $sql, array $values): int
    {
        $this->run($sql, $values);
        return (int) $this->pdo->lastInsertId();
    }

    /** INSERT that skips a row whose key exists. @param list<int|string|null> $values */
    public function insertOnce(string $into, array $values): int
    {
        return $this->execute(($this->isSqlite ? 'INSERT OR IGNORE INTO ' : 'INSERT IGNORE INTO ') . $into, $values);
    }

    /**
     * Runs $work in one transaction, again if the database broke it off because of a deadlock. Code that changes a row
     * should change it before inserting rows that refer to it, so that deadlocks stay rare.
     *
     * @template T
     * @param callable(): T $work
     * @return T
     */
    public function transaction(callable $work): mixed
    {
        for ($attempt = 1; ; $attempt++) {
            try {
                return $this->transactionOnce($work);
            } catch (\PDOException $error) {
                if ($error->getCode() !== self::DEADLOCK || $attempt === self::ATTEMPTS) {
                    throw $error;
                }
            }
        }
    }

    /**
     * @template T
     * @param callable(): T $work
     * @return T
     */
    private function transactionOnce(callable $work): mixed
    {
        // SQLite: take the write lock at once, so that two writers wait for each other instead of failing half-way
        $this->isSqlite ? $this->pdo->exec('BEGIN IMMEDIATE') : $this->pdo->beginTransaction();
        try {
            $result = $work();
            $this->isSqlite ? $this->pdo->exec('COMMIT') : $this->pdo->commit();
            return $result;
        } catch (\Throwable $error) {
            $this->isSqlite ? $this->pdo->exec('ROLLBACK') : $this->pdo->rollBack();
            throw $error;
        }
    }

    /** Statements without values, for schemas. */
    public function script(string $sql): void
    {
        $this->pdo->exec($sql);
    }

    /** `?,?,?` for a list of n values. */
    public static function marks(int $n): string
    {
        return implode(',', array_fill(0, $n, '?'));
    }

    public static function isDuplicate(\PDOException $error): bool
    {
        return $error->getCode() === '23000';
    }

    /** @param list<int|string|null> $values */
    private function run(string $sql, array $values): PDOStatement
    {
        $statement = $this->pdo->prepare($sql);
        foreach ($values as $i => $value) {
            $type = is_int($value) ? PDO::PARAM_INT : ($value === null ? PDO::PARAM_NULL : PDO::PARAM_STR);
            $statement->bindValue($i + 1, $value, $type);
        }
        $statement->execute();
        return $statement;
    }
}
