import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { openFolder } from '../support/program.ts';

/** Runs the translation of a Compose file that the smoke check of the image uses. */
const optionsOf = (file: string): Promise<{ readonly stdout: string; readonly stderr: string }> =>
  new Promise((resolve) => {
    execFile(process.execPath, ['scripts/compose-options.mjs', file, 'tollkeeper'], (_, stdout, stderr) => {
      resolve({ stdout, stderr });
    });
  });

it('the smoke check runs the image with every option of the Compose file', async () => {
  const { stdout, stderr } = await optionsOf('config/deploy/compose.yaml');
  expect(stderr).toBe('');
  const lines = stdout.replaceAll(process.cwd(), '').split('\n');
  expect(lines).toEqual(
    expect.arrayContaining([
      'SMTP_URL_FILE=/run/secrets/smtp_url',
      '/config/deploy/secrets/smtp_url:/run/secrets/smtp_url:ro',
      '/config/deploy/config:/config:ro',
      '1000:1000',
      '--read-only',
      'no-new-privileges:true',
    ]),
  );
});

it.each([
  ['an option that it cannot pass on', 'read_only: true', 'privileged: true', 'privileged is not known'],
  [
    'a secret without a file',
    'smtp_url: { file: ./secrets/smtp_url }',
    '',
    'secret smtp_url is not declared',
  ],
  [
    'a volume that is not declared',
    'volumes:\n  tollkeeper:',
    'volumes:\n  other:',
    'volume tollkeeper is not declared',
  ],
])('the smoke check refuses a Compose file with %s', async (_, from, to, problem) => {
  await using folder = await openFolder();
  const text = await readFile('config/deploy/compose.yaml', 'utf8');
  expect(text).toContain(from);
  const file = await folder.write('compose.yaml', text.replace(from, to));
  expect((await optionsOf(file)).stderr).toContain(problem);
});
