<?php
// SPDX-License-Identifier: Apache-2.0
declare(strict_types=1);

namespace Olio;

/** Persons and their passwords. */
final class People
{
    public function __construct(private readonly Database $db, private readonly int $passwordCost)
    {
    }

    /** @return array<string, mixed>|null without the password's hash */
    public function find(int $id): ?array
    {
        return $this->db->row('SELECT id, login, name, city, summary, image, created_at FROM person WHERE id = ?', [$id]);
    }

    /** @return int|null the id of the person if login and password fit; an unknown login costs as much as a wrong password */
    public function authenticate(string $login, string $password): ?int
    {
        $row = $this->db->row('SELECT id, password_hash FROM person WHERE login = ?', [$login]);
        if ($row === null) {
            $this->hash($password);
            return null;
        }
        return password_verify($password, $row['password_hash']) ? $row['id'] : null;
    }

    /**
     * @param array{login: string, password: string, name: string, city: string, summary: string} $fields
     * @return int|null the new person's id, null if the login is taken
     */
    public function add(array $fields, string $image, int $now): ?int
    {
        $image = $image !== '' ? $image : 'person/' . crc32($fields['login']) % Images::SEEDED . '.jpg';
        try {
            return $this->db->insert(
                'INSERT INTO person (login, password_hash, name, city, summary, image, created_at)'
                . ' VALUES (?, ?, ?, ?, ?, ?, ?)',
                [$fields['login'], $this->hash($fields['password']), $fields['name'], $fields['city'],
                    $fields['summary'], $image, gmdate('Y-m-d H:i', $now)],
            );
        } catch (\PDOException $error) {
            if (Database::isDuplicate($error)) {
                return null;
            }
            throw $error;
        }
    }

    private function hash(string $password): string
    {
        return password_hash($password, PASSWORD_BCRYPT, ['cost' => $this->passwordCost]);
    }
}
