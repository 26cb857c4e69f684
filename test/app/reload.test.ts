import { mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createSecretRegistry, isFault } from '../../src/core/index.ts';
import { createLog } from '../../src/core/logging/json-log.ts';
import type { ConfigFault, Config } from '../../src/config/index.ts';
import { createReload, type Reload } from '../../src/app/serve/reload.ts';
import { readConfig } from '../../src/settings.ts';
import { manualClock } from '../support/manual-clock.ts';
import { openFolder, defaultConfig, type Folder } from '../support/program.ts';

let folder: Folder;
let reload: Reload;
const lines: string[] = [];
const adopted: Config[] = [];
const reported: (readonly ConfigFault[])[] = [];
let diskIsFull = false;

beforeEach(async () => {
  folder = await openFolder();
  await defaultConfig(folder);
  const clock = manualClock();
  const secrets = createSecretRegistry();
  const deps = {
    clock,
    secrets,
    env: { GATEWAY_BASE_URL: 'https://x.example', GATEWAY_ADMIN_KEY: 'sk-admin-1', SMTP_URL: 'smtps://m' },
  };
  const path = join(folder.path, 'config');
  const loaded = await readConfig(path, deps);
  if (loaded.config === undefined) throw new Error(loaded.faults.map(({ message }) => message).join());
  for (const list of [lines, adopted, reported]) list.splice(0);
  diskIsFull = false;
  reload = createReload({
    deps,
    folder: path,
    log: createLog({ write: (line) => void lines.push(line), level: 'debug', clock, redact: (text) => text }),
    first: { ...loaded, config: loaded.config },
    adopt: async (config) => {
      if (diskIsFull) throw new Error('no space left on device');
      adopted.push(config);
    },
    notifyFaults: async (faults) => {
      if (diskIsFull) throw new Error('no space left on device');
      reported.push(faults);
    },
  });
});
afterEach(() => folder[Symbol.asyncDispose]());

const spend = 'config/jobs/spend.yaml';
const whole = (): Promise<string> => readFile(join(folder.path, spend), 'utf8');
const looks = async (count: number): Promise<void> => {
  for (let look = 0; look < count; look += 1) await reload.look();
};

it('a reload applies a change that stays for two checks, and nothing otherwise', async () => {
  await looks(5);
  expect(lines).toEqual([]);
  await folder.write(spend, (await whole()).replace('7 * * * *', '8 * * * *'));
  await looks(1);
  expect(adopted).toEqual([]);
  await looks(3);
  expect(adopted).toHaveLength(1);
  expect(lines.join('')).toContain('job pull-logs: schedule \\"7 * * * *\\" → \\"8 * * * *\\"');
});

it('a reload reports no fault for a half-written file that is completed a moment later', async () => {
  const after = (await whole()).replace('7 * * * *', '9 * * * *');
  for (const share of [0.2, 0.5, 0.9]) {
    await folder.write(spend, after.slice(0, Math.floor(after.length * share)));
    await looks(1);
  }
  await folder.write(spend, '');
  await looks(1);
  await folder.write(spend, after);
  await looks(2);
  expect(reported).toEqual([]);
  expect(lines.join('')).not.toContain('not taken up');
  expect(reload.state().faults).toEqual([]);
  expect(adopted).toHaveLength(1);
});

it('a file missing for one check, as while an editor saves, is not a change', async () => {
  const before = await whole();
  await rm(join(folder.path, spend));
  await looks(1);
  await folder.write(spend, before);
  await looks(3);
  expect(lines).toEqual([]);
});

it('a reload reports faults once until the configuration is valid again', async () => {
  const before = await whole();
  for (const fault of ['sinse', 'sinze']) {
    await folder.write(spend, before.replaceAll('since', fault));
    await looks(6);
    await reload.now();
  }
  expect(reported).toHaveLength(1);
  expect(reload.state().faults.length).toBeGreaterThan(0);
  expect(lines.filter((line) => line.includes('spend.yaml:2:'))).not.toEqual([]);
  await folder.write(spend, before);
  await looks(2);
  expect(reload.state().faults).toEqual([]);
  await folder.write(spend, before.replaceAll('since', 'sinse'));
  await looks(6);
  expect(reported).toHaveLength(2);
});

it('a reload reports and applies later what a full disk prevented', async () => {
  const before = await whole();
  diskIsFull = true;
  await folder.write(spend, before.replaceAll('since', 'sinse'));
  await looks(1);
  await expect(reload.look()).rejects.toThrow('no space');
  await expect(reload.look()).rejects.toThrow('no space');
  diskIsFull = false;
  await looks(4);
  expect(reported).toHaveLength(1);

  diskIsFull = true;
  await folder.write(spend, before.replace('7 * * * *', '8 * * * *'));
  await looks(1);
  await expect(reload.look()).rejects.toThrow('no space');
  expect(reload.state().faults.length).toBeGreaterThan(0);
  diskIsFull = false;
  await looks(4);
  expect(adopted).toHaveLength(1);
  expect(reload.state().faults).toEqual([]);
});

it('a missing config folder is a fault that does not end the daemon', async () => {
  await rm(join(folder.path, 'config'), { recursive: true });
  await looks(4);
  expect(reported).toHaveLength(1);
  expect(reported.flat().every((fault) => !isFault(fault) && fault.line >= 1)).toBe(true);
  await mkdir(join(folder.path, 'config'));
  await defaultConfig(folder);
  await looks(4);
  expect(reload.state().faults).toEqual([]);
});
