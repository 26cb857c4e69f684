import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { startSandbox } from '../../src/sandbox/index.ts';
import { openEngine } from '../../src/storage/index.ts';
import { manualClock } from '../support/manual-clock.ts';
import { defaultConfig, openFolder, type Folder } from '../support/program.ts';

const now = Date.UTC(2026, 10, 21, 6, 3, 7);
const firstBlock = 12_288;
const blockSize = 262_144;

/** Flips a bit in each block that holds nothing but calls. */
const damageCalls = async (folder: Folder): Promise<number> => {
  const path = join(folder.path, 'data/tollkeeper.duckdb');
  let blocks: readonly number[];
  {
    const spoolDirectory = join(folder.path, 'data/spool');
    await using engine = await openEngine({ path, memoryLimit: '256MB', threads: 1, spoolDirectory });
    blocks = await engine.state(async (connection) => {
      const tables = await connection.rows('SELECT table_name AS name FROM duckdb_tables()');
      const others = tables
        .filter(({ name }) => name !== 'call_log')
        .map(({ name }) => `SELECT block_id FROM pragma_storage_info('${String(name)}')`);
      const rows = await connection.rows(`SELECT DISTINCT block_id FROM pragma_storage_info('call_log')
         WHERE block_id >= 0 AND block_id NOT IN (${others.join(' UNION ALL ')})`);
      return rows.map((row) => Number(row['block_id']));
    });
  }
  const bytes = await readFile(path);
  for (const block of blocks) {
    const at = firstBlock + block * blockSize + 1000;
    bytes[at] = (bytes[at] ?? 0) ^ 1;
  }
  await writeFile(path, bytes);
  return blocks.length;
};

it('damage that a job meets fails it with the file and the next step, and `status` shows it', async () => {
  await using folder = await openFolder();
  const sandbox = await startSandbox({ now: () => now, months: 1, callsPerDay: 2000 });
  try {
    await defaultConfig(folder);
    const env = {
      GATEWAY_BASE_URL: sandbox.baseUrl,
      GATEWAY_ADMIN_KEY: sandbox.adminKey,
      SMTP_URL: 'smtp://127.0.0.1:1',
    };
    const run = (...argv: string[]) => folder.run(argv, { env, clock: manualClock(now) });
    expect((await run('run', 'pull-logs')).code).toBe(0);
    expect(await damageCalls(folder)).toBeGreaterThan(0);
    const failed = await run('run', 'weekly-spend');
    expect(failed.code).toBe(1);
    expect(failed.stderr).toContain('warehouse-unreadable');
    expect(failed.stderr).toContain('data/tollkeeper.duckdb');
    const status = await run('status');
    expect(status.code).toBe(1);
    expect(status.stdout).toMatch(/action required: job failed: weekly-spend/);
  } finally {
    await sandbox.stop();
  }
});
