import { describe, expect, it } from 'vitest';
import { splitReferences } from '../../src/config/load/references.ts';
import { approved, titledEach } from '../support/approved.ts';
import { goodEnv, goodFiles, goodSettings, load } from './support/load.ts';

const account = (text: string): Record<string, string> => ({
  'config/tollkeeper.yaml': `accounts:\n  main:\n    base_url: https://g.example\n    admin_key: ${text}\n`,
});

describe('references', () => {
  it('are parsed, whole or embedded, with $${ for a literal ${', () => {
    expect(splitReferences('a${B}c${file:/d e}$${F}')).toEqual([
      { text: 'a' },
      { reference: { from: 'env', name: 'B' } },
      { text: 'c' },
      { reference: { from: 'file', path: '/d e' } },
      { text: '${' },
      { text: 'F}' },
    ]);
    for (const wrong of ['${}', '${A-B}', '${A', '${file:}', '${1A}', '${A:-x}'])
      expect(splitReferences(wrong)).toEqual([{ malformed: wrong }]);
    expect(splitReferences('cost: 5$ {x}')).toEqual([{ text: 'cost: 5$ {x}' }]);
  });

  it('read secret files without one newline at the end', async () => {
    for (const [content, value] of [
      ['secret-1\n', 'secret-1'],
      ['secret-1\r\n', 'secret-1'],
      ['secret-1\n\n', 'secret-1\n'],
    ] as const) {
      const settings = 'backup: { identity: "${file:/run/secrets/key}" }\n';
      const { config, text } = await load({
        'config/tollkeeper.yaml': settings,
        '/run/secrets/key': content,
      });
      expect(text).toBe('');
      expect(config?.settings.backup.identity?.reveal()).toBe(value);
    }
  });

  it('of an Admin Key lose the blanks around it, with a warning that does not show the key', async () => {
    for (const [content, isWarned] of [
      ['sk-admin-1\n', false],
      [' sk-admin-1\n\n', true],
      ['\tsk-admin-1', true],
    ] as const) {
      const files = { ...account('"${file:/run/secrets/key}"'), '/run/secrets/key': content };
      const { config, text, warnings = [] } = await load(files);
      expect(text).toBe('');
      expect(config?.settings.accounts['main']?.admin_key.reveal()).toBe('sk-admin-1');
      expect(warnings.map(({ line }) => line)).toEqual(isWarned ? [4] : []);
      expect(JSON.stringify(warnings)).not.toContain('sk-admin-1');
    }
    const { text } = await load({ ...account('"${KEY}"') }, { KEY: ' \n' });
    expect(text).toContain('accounts.main.admin_key must be a reference');
  });

  it('read a variable that is not set from the file that its _FILE variable names', async () => {
    const files = { ...account('"${KEY}"'), '/run/secrets/key': 'sk-admin-1\n' };
    const keyOf = async (env: Record<string, string>) => {
      const { config, text } = await load(files, env);
      return config?.settings.accounts['main']?.admin_key.reveal() ?? text;
    };
    expect(await keyOf({ KEY_FILE: '/run/secrets/key' })).toBe('sk-admin-1');
    expect(await keyOf({ KEY_FILE: '/run/secrets/key', KEY: 'sk-admin-2' })).toBe('sk-admin-2');
    expect(await keyOf({ KEY_FILE: '/none' })).toContain('the file /none does not exist');
    expect(await keyOf({ KEY_FILE: '/run/secrets/key', KEY: '' })).toContain('KEY is empty');
  });

  it('are reported when they are unresolved', async () => {
    const rows = ['"${constructor}"', '"${file:/empty}"', '"${file:/utf16}"'].map(
      (written) => [written] as const,
    );
    const reported = await titledEach(rows, async ([written]) => {
      const { faults, config, text } = await load({
        ...account(written),
        '/empty': '\n',
        '/utf16': Buffer.from('sk-admin-1', 'utf16le').toString(),
      });
      expect(config).toBeUndefined();
      expect(faults).toMatchObject([{ file: 'config/tollkeeper.yaml', line: 4, column: 16 }]);
      return text;
    });
    await expect(reported).toMatchFileSnapshot(approved('config/references'));
  });

  it('work in any value, including jobs, and not in keys', async () => {
    const files = {
      ...account('"${K}"'),
      'config/jobs/a.yaml':
        'jobs:\n  a:\n    kind: pull-logs\n    since: ${YEAR}-01-01\n    columns: ["$${x}"]\n',
    };
    const { config, text } = await load(files, { K: 'sk-admin-1', YEAR: '2025' });
    expect(text).toBe('');
    expect(config?.jobs['a']?.fields).toMatchObject({ since: '2025-01-01', columns: ['${x}'] });
  });
});

describe('secrets', () => {
  it('are redacted wherever they are printed, in each of their forms', async () => {
    const { config, secrets } = await load(goodFiles, goodEnv);
    const key = config?.settings.accounts['main']?.admin_key;
    expect(String(key)).toBe('[secret]');
    expect(JSON.stringify(config)).not.toContain('sk-admin-0123456789abcdef');
    expect(JSON.stringify(config)).not.toContain('ss-word');
    expect(key?.reveal()).toBe('sk-admin-0123456789abcdef');
    for (const text of [
      'sk-admin-0123456789abcdef',
      Buffer.from('sk-admin-0123456789abcdef').toString('base64'),
      'pa/ss-word',
      'pa%2Fss-word',
      'smtp://reports:pa%2Fss-word@mail.example.com:587',
    ])
      expect(secrets.redact(`<${text}>`)).toBe('<[secret]>');
  });

  it('do not redact the name of a mail server without a password', async () => {
    const { secrets } = await load(goodFiles, { ...goodEnv, SMTP_URL: 'smtp://mail.example.com:25' });
    expect(secrets.redact('could not reach mail.example.com:25')).toBe('could not reach mail.example.com:25');
  });

  it('may be part of the address of the mail server', async () => {
    const settings = goodSettings.replace(
      '${SMTP_URL}',
      () => 'smtp://reports:${PASSWORD}@mail.example.com:587',
    );
    const files = { ...goodFiles, 'config/tollkeeper.yaml': settings };
    const { config, secrets } = await load(files, { ...goodEnv, PASSWORD: 'hunter22' });
    expect(config?.settings.mail?.smtp.reveal()).toBe('smtp://reports:hunter22@mail.example.com:587');
    expect(secrets.redact('login with hunter22')).toBe('login with [secret]');
  });

  it('appear in no fault, whatever their position and error', async () => {
    const value = 'p@ss/w0rd-of-the-mail-server';
    const settings = `timezone: "\${S}"
accounts:
  main: { base_url: "\${S}", admin_key: "\${S}", currency: "\${S}", tls: { ca: "\${S}" }, gateway: { naive_zone: "x\${S}" } }
  bad: { base_url: "http://\${S}", admin_key: ["\${S}"] }
warehouse: { memory_limit: "\${S}", path: ["\${S}"] }
mail: { smtp: "smtp://user:\${S}@mail:25", from: "\${S}", operators: ["\${S}", "a <\${S}>"] }
log: { level: "\${S}" }
`;
    const jobs = `jobs:
  a: { kind: "\${S}", since: "\${S}" }
  b: { kind: pull-logs, since: "\${S}", account: "\${S}", needs: ["\${S}"], schedule: "\${S}", columns: { x: "\${S}" } }
  c: { kind: report, report: "\${S}", mail: { to: ["\${S}"] }, timezone: "\${S}", nokey: "\${S}" }
`;
    const files = { 'config/tollkeeper.yaml': settings, 'config/jobs/a.yaml': jobs };
    const { faults, text } = await load(
      files,
      { S: value },
      { checkSchedule: ({ expression }) => ({ message: `bad: ${expression}` }) },
    );
    expect(faults.length).toBeGreaterThan(18);
    expect(text).not.toContain('w0rd');
    expect(text).not.toContain('p@ss');
  });
});
