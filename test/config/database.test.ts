import { describe, expect, it } from 'vitest';
import { formatConfigFault } from '../../src/config/index.ts';
import { goodEnv, goodFiles, goodSettings, load } from './support/load.ts';

const settings = goodSettings.replace('path: data/tollkeeper.duckdb, ', '');

const loadWith = async (
  line: string,
  env: Readonly<Record<string, string>> = {},
  base = settings,
  more: Readonly<Record<string, string>> = {},
) => {
  const files = { ...goodFiles, ...more, 'config/tollkeeper.yaml': `${base}${line}\n` };
  const loaded = await load(files, { ...goodEnv, ...env });
  return { ...loaded, texts: loaded.faults.map((fault) => formatConfigFault(fault)) };
};

const url = 'postgres://keeper:${PASSWORD}@db.example.com:5432/tollkeeper?sslmode=verify-full';

describe('the setting database', () => {
  it('is a URL whose password is given by reference, and never shown', async () => {
    const { config, secrets, texts } = await loadWith(`database: "${url}"`, { PASSWORD: 'pa%2Fss-word' });
    expect(texts).toEqual([]);
    const database = config?.settings.database;
    expect(database?.reveal()).toBe(url.replace('${PASSWORD}', 'pa%2Fss-word'));
    expect(String(database)).toBe('[secret]');
    for (const text of ['pa%2Fss-word', 'pa/ss-word']) expect(secrets.redact(`<${text}>`)).toBe('<[secret]>');
    const shown = 'postgres://keeper@db.example.com:5432/tollkeeper: no server listens there';
    expect(secrets.redact(shown)).toBe(shown);
  });

  it('may be a reference as a whole, or a Unix socket without a password', async () => {
    const whole = await loadWith('database: "${URL}"', { URL: 'postgresql://keeper:hunter22@db/spend' });
    expect(whole.texts).toEqual([]);
    expect(whole.secrets.redact('login with hunter22')).toBe('login with [secret]');
    const socket = await loadWith('database: "postgres://keeper@/spend?host=/run/postgresql"');
    expect(socket.config?.settings.database?.reveal()).toBe('postgres://keeper@/spend?host=/run/postgresql');
  });

  it('excludes jobs that work on the database file', async () => {
    const { texts } = await loadWith('database: "postgres://keeper@db/spend"', {}, goodSettings, {
      'config/jobs/archive.yaml': 'jobs: { monthly: { kind: archive, schedule: "0 4 * * *" } }\n',
    });
    expect(texts[0]).toMatch(
      /archive\.yaml:1:\d+.* job monthly is of kind archive, which works on the database file, but database is set[\s\S]*remove the job/,
    );
    expect((await loadWith('database: "postgres://keeper@db/spend"')).texts).toEqual([]);
  });
});
