import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { openFolder } from '../support/program.ts';
import { buildProgram } from './support/built-program.ts';

const sql = `SELECT day, day_number, day_number * 0.000000000001 AS amount, 'a,"b' || chr(10) AS text, NULL AS nothing
  FROM days WHERE period = 'current' ORDER BY day`;

test('a query returns equal bytes with and without a daemon, in the child process that runs report SQL', async () => {
  await using program = await buildProgram();
  await using folder = await openFolder();
  await folder.write(
    'config/tollkeeper.yaml',
    'timezone: UTC\nhealth: { port: 0 }\nstatus: { port: 0 }\naccounts: { main: { base_url: "http://127.0.0.1:9", admin_key: "${KEY}" } }\n',
  );
  await folder.write('config/jobs/a.yaml', 'jobs:\n');
  const options = { cwd: folder.path, env: { ...process.env, KEY: 'sk-admin-of-no-gateway' } };
  const query = async (...argv: string[]): Promise<string> => {
    const main = join(program.folder, 'dist/main.js');
    const words = [main, 'query', '--period', '2026-10', ...argv, sql];
    return (await promisify(execFile)(process.execPath, words, options)).stdout;
  };
  const answers = async (name: string): Promise<readonly string[]> => {
    const printed = [];
    for (const format of ['table', 'csv', 'json']) printed.push(await query('--format', format));
    await query('--out', `${name}.parquet`);
    return [...printed, (await readFile(join(folder.path, `${name}.parquet`))).toString('base64')];
  };
  const alone = await answers('alone');
  await using daemon = program.start(['serve'], options);
  await daemon.line('"serving"');
  expect(await answers('beside')).toEqual(alone);
  expect(JSON.parse(alone[2] ?? '')).toHaveLength(31);
});
