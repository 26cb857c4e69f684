import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { startSandbox } from '../../src/sandbox/index.ts';
import { startConsumer } from '../support/consumer.ts';
import { exemptFile } from '../support/secret-watch.ts';

it('a consumer applies the contents of its files, and reports each failed call with its time', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tollkeeper-consumer-'));
  const path = (name: string): string => join(folder, name);
  const write = async (name: string, text: string): Promise<void> => {
    exemptFile(path(name));
    await writeFile(path(name), text);
  };
  const sandbox = await startSandbox({ now: Date.now, months: 1, callsPerDay: 1 });
  const create = async (): Promise<{ readonly id: number; readonly key: string }> => {
    const answer = await fetch(`${sandbox.baseUrl}/api/token/`, {
      method: 'POST',
      headers: { authorization: `Bearer ${sandbox.adminKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'app', unlimited_quota: true, remain_quota: 0, expired_time: -1 }),
    });
    return ((await answer.json()) as { data: { id: number; key: string } }).data;
  };
  try {
    const [first, second] = [await create(), await create()];
    const texts = {
      'a.env': `# kept\nKEY="${first.key}"\n`,
      'a.json': JSON.stringify({ key: first.key }),
      a: first.key,
    };
    for (const [name, text] of Object.entries(texts)) await write(name, text);
    const sources = [
      { path: path('a.env'), variable: 'KEY' },
      { path: path('a.json'), pointer: '/key' },
      { path: path('a') },
    ];
    await using consumer = await startConsumer({
      baseUrl: sandbox.baseUrl,
      model: 'text-embedding-3-small',
      sources,
      rest: 1,
    });
    expect(consumer.failures()).toEqual([]);
    // Two of three are used, complete, before the first key dies.
    for (const [name, text] of Object.entries(texts).slice(0, 2)) {
      await write(`${name}.new`, text.replace(first.key, second.key));
      await rename(path(`${name}.new`), path(name));
    }
    await consumer.round();
    expect(consumer.failures()).toEqual([]);
    sandbox.state.keys.remove(first.id, sandbox.state.seconds());
    const died = Date.now();
    await consumer.round();
    const failures = consumer.failures();
    expect(new Set(failures.map((failure) => `${failure.path} ${failure.why}`))).toEqual(
      new Set([`${path('a')} 401`]),
    );
    expect(failures[0]?.at).toBeGreaterThan(died - 1000);
    expect(await consumer.stop()).toBeGreaterThan(8);
    await expect(consumer.round()).rejects.toThrow('the consumer has ended');
  } finally {
    await sandbox.stop();
    await rm(folder, { recursive: true });
  }
});
