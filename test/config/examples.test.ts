import { appendFile, cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../src/core/index.ts';
import { checkConfig } from '../../src/settings.ts';
import { programDeps } from '../support/program.ts';

const silent = { write: () => undefined, isTerminal: false, columns: 80 };
const env = {
  GATEWAY_BASE_URL: 'https://gateway.example.com',
  GATEWAY_ADMIN_KEY: 'sk-admin-example-key',
  SMTP_URL: 'smtp://user:password@mail.example.com:587',
};
/** What `check` finds in a folder with these variables. */
const check = (folder: string, vars: Readonly<Record<string, string>> = env) =>
  checkConfig(folder, programDeps('/', silent, silent, { clock: systemClock, env: vars }));

const copyOf = async (from: string) => {
  const folder = await mkdtemp(join(tmpdir(), 'example-'));
  await cp(from, folder, { recursive: true });
  return { folder, [Symbol.asyncDispose]: () => rm(folder, { recursive: true }) };
};

describe('the page on key rotation', () => {
  const readPage = (): Promise<string> => readFile(new URL('../../docs/keys.md', import.meta.url), 'utf8');

  it('shows a job and sinks without faults', async () => {
    const text = await readPage();
    const job = /^```yaml\n(.*?)^```$/ms.exec(text)?.[1] ?? '';
    const sinks = [...text.matchAll(/^\| [^|]+ \| `(\w+: \{.*\})` \| [^|]+ \|$/gm)].map(
      ([, code = '']) => code,
    );
    expect(sinks.map((code) => code.split(':')[0]).join()).toBe(
      'file,file,file,command,webhook,vault,kubernetes,aws,age',
    );
    const settings = /`(windows: \[.*?\])`/.exec(text)?.[1] ?? '';
    const limits = /`(limits: \{.*?\})`/.exec(text)?.[1] ?? '';
    expect([settings, limits]).not.toContain('');
    await using place = await copyOf(new URL('../../config', import.meta.url).pathname);
    // Each sink in a job of its own: no two may deliver to one place.
    const jobs = sinks.map(
      (code, index) => `  sink-${index}:
    kind: rotate-keys
    keys: { name: "sink-${index}-*" }
    every: 30d
    mode: apply
    ${settings}
    ${limits}
    deliver: [{ ${code} }]
`,
    );
    await writeFile(join(place.folder, 'jobs', 'keys.yaml'), `${job}${jobs.join('')}`);
    const { faults, jobs: read } = await check(place.folder, {
      ...env,
      KEYS_SECRET: 'a secret that signs what is posted',
    });
    expect(faults).toEqual([]);
    expect(read.filter(({ name }) => /^(?:rotate-prod|sink-\d)$/.test(name))).toHaveLength(10);
  });
});

describe('the pages with recipes', () => {
  const blocksOf = async (page: string): Promise<readonly string[]> => {
    const text = await readFile(new URL(`../../${page}`, import.meta.url), 'utf8');
    return [...text.matchAll(/^```yaml\n(.*?)^```$/gms)].map(([, code = '']) => code);
  };

  it.each([
    ['README.md', 2],
    ['docs/cookbook.md', 15],
  ])('the examples in %s have no fault', async (page, count) => {
    const blocks = await blocksOf(page);
    const jobs = blocks.filter((block) => /^jobs:$/m.test(block));
    const settings = blocks.filter((block) => /^(teams|budgets|tags):$/m.test(block));
    await using place = await copyOf(new URL('../../config', import.meta.url).pathname);
    await rm(join(place.folder, 'jobs'), { recursive: true });
    await mkdir(join(place.folder, 'jobs'));
    for (const [index, block] of jobs.entries())
      await writeFile(join(place.folder, 'jobs', `recipe-${index}.yaml`), block);
    await appendFile(join(place.folder, 'tollkeeper.yaml'), settings.join(''));
    const { faults, jobs: read } = await check(place.folder);
    expect(faults).toEqual([]);
    expect(read).toHaveLength(count);
  });
});

describe('the example config', () => {
  const folder = new URL('../../config', import.meta.url).pathname;

  it('has no fault, including its report, and every job has a next run', async () => {
    const { faults, jobs } = await check(folder);
    expect(faults).toEqual([]);
    expect(jobs.map(({ name }) => name).join()).toBe(
      'token-economics,key-inventory,reconciliation,budget-alerts,rotate-prod,expire-trials,statement,pull-logs,pull-usage,snapshot,archive,daily-spend,monthly-spend',
    );
    for (const job of jobs) expect(job.next).toHaveLength(3);
  });

  it('has no fault with its commented parts enabled', async () => {
    await using place = await copyOf(folder);
    const file = join(place.folder, 'jobs', 'spend.yaml');
    const text = await readFile(file, 'utf8');
    const whole = text
      .replace(/^ {4}# (heartbeat_url: .*)$/m, '    $1')
      .replaceAll(/^ {2}# ( *(?:first-monday:|[a-z_]+: .*))$/gm, (line, code: string) =>
        line.includes('day_match says') ? line : `  ${code}`,
      );
    expect(whole.match(/^[^#]*heartbeat_url|^[^#]*first-monday/gm)).toHaveLength(2);
    await writeFile(file, whole);
    const vars = { ...env, DAILY_SPEND_HEARTBEAT: 'https://hc-ping.com/some-uuid' };
    const { faults, jobs } = await check(place.folder, vars);
    expect(faults).toEqual([]);
    const [next] = jobs.find(({ name }) => name === 'first-monday')?.next ?? [];
    expect(new Date(next ?? 0).getUTCDay()).toBe(1);
  });

  it('has no fault with teams, budgets and jobs that use them', async () => {
    await using place = await copyOf(folder);
    const [main, month] = [join(place.folder, 'tollkeeper.yaml'), join(place.folder, 'jobs', 'month.yaml')];
    const settings = await readFile(main, 'utf8');
    const teams = settings
      .replace(/^ {4}# (budget: .*)$/m, '    $1')
      .replaceAll(/^# (teams:$| {2}\w+: \{ keys)/gm, '$1');
    expect(teams.match(/^teams:|^ {2}(?:search|growth):|^ {4}budget:/gm)).toHaveLength(4);
    await writeFile(main, teams);
    const jobs = await readFile(month, 'utf8');
    await writeFile(
      month,
      jobs.replaceAll(/^ {2}# ( *(?:(?:showback|search-to-date):|[a-z_]+: .*))$/gm, '  $1'),
    );
    const checked = await check(place.folder);
    expect(checked.faults).toEqual([]);
    const names = checked.jobs.map(({ name }) => name).filter((name) => name.startsWith('s'));
    expect(names.join()).toBe('statement,showback,search-to-date,snapshot');
  });

  it('reports every reference without its environment', async () => {
    const { faults } = await check(folder, {});
    expect(faults.map((fault) => /[A-Z_]{5,}/.exec(fault.message)?.[0] ?? '').sort()).toEqual([
      'GATEWAY_ADMIN_KEY',
      'GATEWAY_BASE_URL',
      'SMTP_URL',
    ]);
  });
});
