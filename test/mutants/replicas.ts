import { mutant, type Mutant } from './mutant.ts';

export const replicaMutants: readonly Mutant[] = [
  mutant(
    'a landing counts without the token of its lease',
    'warehouse/postgres/publish.server',
    'warehouse/postgres/publish.ts',
    'WHERE account = $account AND token = $token AND until',
    'WHERE account = $account AND $token = $token AND until',
  ),
  mutant(
    'a window is landed twice',
    'warehouse/postgres/publish.server',
    'warehouse/postgres/publish.ts',
    'for (const { start, end } of changes.ranges)',
    'for (const { start, end } of changes.ranges.slice(1))',
  ),
  mutant(
    'rows that one engine counts and the other one does not are accepted',
    'warehouse/postgres/publish.server',
    'warehouse/postgres/copied-rows.ts',
    'if (sent !== stored)',
    'if (sent < stored)',
  ),
  mutant(
    'a slot is claimed without a lease',
    'storage/postgres-leases.server',
    'storage/postgres/fence.ts',
    'if (sql !== begin || fence.leases === 0) return',
    'if (sql !== begin || fence.leases >= 0) return',
  ),
  mutant(
    'a message is claimed by two replicas',
    'storage/postgres.server',
    'storage/outbox-table.ts',
    'WHERE id = $id AND ${isDue} RETURNING *`',
    'WHERE id = $id RETURNING *`',
  ),
  mutant(
    'a replica may write a key after its lease has ended',
    'storage/postgres-leases.server',
    'storage/postgres/leases.ts',
    'if (extended < tokens.size) return false;',
    'if (extended < 0) return false;',
  ),
  mutant(
    'a replica that was stopped within a transaction keeps the others out',
    'storage/postgres-leases.server',
    'storage/postgres/leases.ts',
    'await connection.rows(endFormerSql, { account, holder });',
    'void endFormerSql;',
  ),
];
