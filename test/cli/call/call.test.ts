import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { modelEndpoints } from '../../../src/gateway/index.ts';
import type { Variants } from '../../../src/sandbox/index.ts';
import { approved, titled } from '../../support/approved.ts';
import { openCallFixture } from '../support/fixture.ts';

const chat = ['messages', '--model', 'claude-haiku-4-5', '--message', 'Hello', '--max-tokens', '10'];
const embed = ['embeddings', '--model', 'text-embedding-3-small', '--input', 'one', '--input', 'two'];

describe('the `call` command', () => {
  it('prints chats, embeddings, songs and tasks as text, with what they cost', async () => {
    await using fixture = await openCallFixture({ variants: { task_outcome: 'endless' } });
    const calls = [
      [...chat, '--wait-cost'],
      chat,
      [...chat, '--no-stream'],
      [...embed, '--dimensions', '8'],
      ['feed', '--clip-id', 'clip-one,clip-two'],
      ['imagine', '--prompt', 'x', '--no-wait'],
    ];
    const printed: [string, string][] = [];
    for (const argv of calls) {
      const { code, stdout, stderr } = await fixture.call(...argv);
      expect([argv, code]).toEqual([argv, 0]);
      printed.push([argv.join(' '), `${stderr}${stdout}`.replaceAll(fixture.sandbox.baseUrl, '<gateway>')]);
    }
    await expect(titled(printed)).toMatchFileSnapshot(approved('cli/call'));
  });

  it('streams the text of a chat as it arrives, and prints its end and tokens', async () => {
    await using fixture = await openCallFixture();
    const pieces: string[] = [];
    const ran = await fixture.run(['call', ...chat, '--key-env', 'API_KEY'], {
      onOutput: (text) => pieces.push(text),
    });
    expect(ran).toMatchObject({ code: 0, stderr: '' });
    expect(pieces.join('')).toBe(ran.stdout);
    expect(pieces.length).toBeGreaterThan(5);
  });

  it('prints the answer as JSON', async () => {
    await using fixture = await openCallFixture();
    const { stdout } = await fixture.call(...chat, '--json');
    expect(JSON.parse(stdout)).toMatchObject({
      endpoint: 'messages',
      request: 'POST /v1/messages',
      answer: { type: 'message', stop_reason: 'max_tokens', usage: { input_tokens: 6, output_tokens: 10 } },
      deviations: [],
      saved: [],
    });
  });

  it('reads the input from a JSON file, changed by --set and by flags', async () => {
    await using fixture = await openCallFixture({ variants: { message_parameters: 'documented' } });
    await fixture.folder.write(
      'input.json',
      JSON.stringify({ model: 'none', max_tokens: 3, messages: [{ role: 'user', content: 'Hello' }] }),
    );
    const from = ['messages', '--from', 'input.json', '--model', 'claude-haiku-4-5'];
    expect((await fixture.call(...from)).stdout).toMatch(/^toll paid and\n/);
    expect(await fixture.call(...from, '--set', 'system=Be brief.')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('system is not supported') as string,
    });
    expect((await fixture.call(...from, '--set', 'max_tokens=2')).stdout).toMatch(/^toll paid\n/);
  });

  it.each([
    ['url', /data\[0\]\.url/],
    ['base64', /data\[0\]\.b64_json/],
    ['both', /data\[0\]\.b64_json/],
  ] as const)('saves a generated image once, whatever its form: %s', async (image_items, field) => {
    await using fixture = await openCallFixture({ variants: { image_items } });
    const generate = 'generate-image --model gpt-image-1 --prompt x --size 64x32 --save images'.split(' ');
    expect((await fixture.call(...generate)).stdout).toMatch(
      /saved images\/generate-image-1\.png \(1 kB\)\n$/,
    );
    const { stdout } = await fixture.call(...generate, '--json');
    const { saved } = JSON.parse(stdout) as { saved: { field: string; path: string }[] };
    expect(saved).toEqual([
      {
        field: expect.stringMatching(field) as string,
        path: 'images/generate-image-2.png',
        bytes: expect.any(Number) as number,
      },
    ]);
    const bytes = await readFile(join(fixture.folder.path, 'images/generate-image-2.png'));
    expect([bytes.readUInt32BE(16), bytes.readUInt32BE(20)]).toEqual([64, 32]);
    expect((await fixture.folder.files()).filter((name) => name.endsWith('.part'))).toEqual([]);
  });

  it.each(['task', 'items', 'image'] as const)(
    'reads an edited image in each form: %s',
    async (image_edit_answer) => {
      await using fixture = await openCallFixture({ variants: { image_edit_answer } });
      await fixture.folder.write('in.png', '\x89PNG');
      const { code, stdout } = await fixture.call('edit-image', '--prompt', 'x', '--input-image', 'in.png');
      expect(code).toBe(0);
      expect(stdout).toMatch(image_edit_answer === 'task' ? /be at http/ : /saved edit-image-1\.png/);
    },
  );

  it('waits for a task, shows its progress, saves its images and lists its actions', async () => {
    await using fixture = await openCallFixture();
    const { stdout, stderr, code } = await fixture.call('imagine', '--prompt', 'a lighthouse');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^status +SUCCESS$/m);
    expect(stdout).toMatch(/^U1 +MJ::JOB::upsample::1::/m);
    expect(stdout.match(/^saved imagine-\d\.png/gm)).toHaveLength(5);
    expect(stderr).toMatch(/^image task \d+: 0 of 100 \(NOT_START\)$/m);
    expect(stderr).toMatch(/\(SUCCESS\)$/m);
    const action = /MJ::JOB::upsample::1::\w+/.exec(stdout)?.[0] ?? '';
    const taskId = /^id +(\d+)$/m.exec(stdout)?.[1] ?? '';
    const upscaled = await fixture.call('action', '--task-id', taskId, '--custom-id', action, '--no-save');
    expect(upscaled.stdout).toMatch(/^action +UPSCALE$/m);
    expect(upscaled.stdout).not.toContain('saved');
  });

  it('returns with the next step when the wait for a task ends', async () => {
    await using fixture = await openCallFixture({ variants: { task_outcome: 'endless' } });
    expect(await fixture.call('imagine', '--prompt', 'x', '--wait', '60s')).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/after 60 s; .* IN_PROGRESS\n.*call image-task --id \d+/) as string,
    });
  });

  it.each<readonly [string, Partial<Variants>]>([
    ['G11.2.image_task_times', { image_task_times: 'seconds' }],
    ['G11.2.image_task_times', { image_task_times: 'milliseconds' }],
    ['G10.6.music_task_times', { music_task_times: 'seconds' }],
    ['G10.6.music_task_times', { music_task_times: 'milliseconds' }],
  ])('prints the same times of a task in either unit: %s %o', async (id, variants) => {
    await using fixture = await openCallFixture({ variants });
    const argv = id.startsWith('G11')
      ? ['imagine', '--prompt', 'x', '--no-save']
      : ['concat', '--clip-id', 'clip-one'];
    const { stdout } = await fixture.call(...argv);
    expect(stdout).toMatch(/^submitted +2026-11-20T09:30:00Z$/m);
    expect(stdout).toMatch(/^finished +2026-11-20T09:30:0\dZ$/m);
  });

  it('reports a task that fails, with the gateway’s reason', async () => {
    await using fixture = await openCallFixture({ variants: { task_outcome: 'failure' } });
    expect(await fixture.call('imagine', '--prompt', 'x')).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/ended with FAILURE: “banned prompt detected”/) as string,
    });
    expect((await fixture.call('upload-audio', '--url', 'https://a.example/1.mp3')).code).toBe(1);
  });

  it('saves the sound of a song', async () => {
    await using fixture = await openCallFixture({ variants: { feed_separator: 'semicolon' } });
    const { stdout } = await fixture.call('concat', '--clip-id', 'clip-one');
    expect(stdout).toMatch(/^status +SUCCESS$/m);
    expect(stdout).toMatch(/^saved concat-\d\.mp3 \((?:8|9) kB\)$/m);
    const feed = await fixture.call('feed', '--clip-id', 'clip-one,clip-two');
    expect(feed.stdout).toMatch(/^clip-one +Song one +complete/m);
    expect(feed.stdout).toMatch(/^clip-two +Song two +complete/m);
  });

  it('lists every endpoint with its fields, as text and as JSON', async () => {
    await using fixture = await openCallFixture();
    const { stdout } = await fixture.run(['call', '--list']);
    const json = JSON.parse((await fixture.run(['call', '--list', '--json'])).stdout) as {
      name: string;
      fields: { flag: string }[];
    }[];
    expect(json.map(({ name }) => name)).toEqual(modelEndpoints.map(({ name }) => name));
    for (const line of stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
    for (const { name, fields } of json) {
      expect(stdout).toContain(`${name}  `);
      const { stdout: help, code } = await fixture.run(['call', name, '--help']);
      expect(code).toBe(0);
      for (const { flag } of fields) expect(help).toContain(flag);
      expect(help).toContain('Examples:');
    }
  });

  it('is refused before anything is sent without one key, a known account, the fields of the endpoint and its files', async () => {
    await using fixture = await openCallFixture();
    const key = ['--key-env', 'API_KEY'];
    const errors: [string, string][] = [];
    for (const argv of [
      [],
      ['messages'],
      ['messages', ...key, '--key-file', 'key.txt'],
      ['messages', '--key-env', 'NO_SUCH'],
      ['messages', '--key-file', 'none.txt'],
      ['messages', '--service', 'billing'],
      ['messages', ...key],
      ['describe', ...key],
      ['imagine', ...key, '--prompt', 'x', '--account', 'other'],
      ['embeddings', ...key, '--from', 'none.json'],
      ['imagine', ...key, '--prompt', 'x', '--image', 'none.png'],
    ]) {
      const { code, stderr, stdout } = await fixture.run(['call', ...argv]);
      expect([argv, code, stdout]).toEqual([argv, 2, '']);
      expect(stderr).toContain('what to do:');
      errors.push([['call', ...argv].join(' '), stderr.replaceAll(fixture.folder.path, '<folder>')]);
    }
    expect(fixture.sandbox.requests.all()).toEqual([]);
    await expect(titled(errors)).toMatchFileSnapshot(approved('cli/call-refusals'));
  });

  it('takes the key from a file, and the one that a sink of a service holds', async () => {
    await using fixture = await openCallFixture();
    await fixture.folder.write('key.txt', `${fixture.plaintext}\n`);
    expect((await fixture.run(['call', ...chat, '--key-file', 'key.txt'])).code).toBe(0);
    await fixture.folder.write('secrets/billing.env', `GATEWAY_API_KEY=${fixture.plaintext}\n`);
    await fixture.folder.write(
      'config/jobs/rotate.yaml',
      `jobs:
  rotate:
    kind: rotate-keys
    schedule: "0 3 * * *"
    every: 30d
    keys: { name: "billing*" }
    deliver: [{ file: { path: "secrets/{service}.env", variable: GATEWAY_API_KEY } }]
    verify: { embeddings: { model: text-embedding-3-small } }
    mail: { to: [ops@example.com] }
`,
    );
    const ran = await fixture.run(['call', ...chat, '--service', 'billing']);
    expect(ran.stderr).toBe('');
    expect(ran.code).toBe(0);
    expect(await fixture.run(['call', ...chat, '--service', 'art'])).toMatchObject({ code: 2 });
  });

  it('prints the cost as booked as JSON once the log shows it, which names the key', async () => {
    await using fixture = await openCallFixture();
    const json = await fixture.call('imagine', '--prompt', 'x', '--no-save', '--json', '--wait-cost', '30s');
    expect(JSON.parse(json.stdout)).toMatchObject({
      cost: { amount: '0.04', currency: 'USD', model: 'imagine-fast', keyName: 'mine', candidates: 1 },
    });
  });

  it('says that a call is not in the log yet when the wait for its cost ends', async () => {
    await using fixture = await openCallFixture();
    const feed = await fixture.call('feed', '--clip-id', 'clip-one', '--wait-cost', '20s');
    expect(feed).toMatchObject({ code: 1, stderr: expect.stringContaining('the call after 20 s') as string });
  });

  it('prints what had arrived of a stream that breaks off, and exits with 1', async () => {
    await using fixture = await openCallFixture();
    fixture.sandbox.faults.plant({
      kind: 'cut-off',
      rows: 6,
      end: 'destroyed',
      path: '/v1/messages',
      times: 2,
    });
    const text = await fixture.call(...chat);
    expect(text.code).toBe(1);
    expect(text.stdout).toMatch(/^toll p/);
    expect(text.stderr).toContain('model-stream-failed');
  });

  it('warns of an answer that differs from the contract', async () => {
    await using fixture = await openCallFixture({ variants: { message_usage: 'missing' } });
    expect((await fixture.call(...chat)).stderr).toBe(
      'the answer differs from docs/gateway.md G14.1: usage is missing\n',
    );
  });

  it('shows neither the key nor control characters of a hostile gateway', async () => {
    await using fixture = await openCallFixture();
    fixture.sandbox.faults.plant({
      kind: 'status',
      status: 400,
      body: JSON.stringify({ error: { message: `\u001b[2Jkey ${fixture.plaintext}` } }),
      contentType: 'application/json',
      path: '/v1/messages',
    });
    const { stderr } = await fixture.call(...chat);
    expect(stderr).not.toContain(fixture.plaintext);
    expect(stderr).not.toContain('\u001b');
  });
});
