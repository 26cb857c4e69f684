import { describe, expect, it } from 'vitest';
import { createSecretRegistry } from '../../../src/core/index.ts';
import { createLog } from '../../../src/core/logging/json-log.ts';
import {
  createModelCaller,
  createModelDeps,
  type ModelAnswer,
  type ModelQuestion,
} from '../../../src/gateway/index.ts';
import { startSandbox, type SandboxOptions } from '../../../src/sandbox/index.ts';
import { plainServer, testHttp } from '../../http/support/servers.ts';
import { manualClock } from '../../support/manual-clock.ts';
import { scriptedModels } from './scripted-models.ts';

const plaintext = 'sk-Zq8PlaintextOfANewKey42';
const embedding: ModelQuestion = { kind: 'embeddings', model: 'text-embedding-3-small' };

type Given = {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
};

const callerOf = (baseUrl: string) => {
  const secrets = createSecretRegistry();
  const clock = manualClock();
  const lines: string[] = [];
  const log = createLog({ write: (line) => lines.push(line), level: 'debug', clock, redact: secrets.redact });
  const caller = createModelCaller(
    createModelDeps({ baseUrl, http: testHttp(), clock, random: () => 0.5, log, secrets }),
  );
  return {
    ask: (question: ModelQuestion, key = plaintext) => caller(secrets.register(key), question),
    caller,
    secrets,
    lines,
  };
};

/** A server that answers one after the other, the last again and again, and a caller of it. */
const scripted = async (...answers: readonly Given[]) => {
  const replies = answers.map(({ body = '', ...more }) => ({
    ...more,
    body: typeof body === 'string' ? body : JSON.stringify(body),
  }));
  const { server, seen } = await scriptedModels(replies);
  return {
    ...callerOf(`${server.url.origin}/prefix/`),
    bodies: () => seen.map(({ body }) => JSON.parse(body) as unknown),
  };
};

const error = (code: string, message = 'Nein.'): unknown => ({ error: { message, type: 'x', code } });

describe('a model that is called with an API key', () => {
  const open = async (variants: NonNullable<SandboxOptions['variants']> = {}) => {
    const clock = manualClock();
    const sandbox = await startSandbox({ now: clock.now, months: 1, callsPerDay: 5, variants });
    const { state } = sandbox;
    const fields = { name: 'n', remain: 10n ** 10n, unlimited: false, expiredTime: -1, group: 'default' };
    const made = state.keys.create({ ...fields, createdAt: state.seconds() });
    return {
      ...callerOf(sandbox.baseUrl),
      sandbox,
      ...made,
      [Symbol.asyncDispose]: () => sandbox.stop(),
    };
  };

  it('works with one short word or a short chat', async () => {
    await using fixture = await open();
    expect(await fixture.ask(embedding, fixture.plaintext)).toEqual({
      ...embedding,
      verdict: 'works',
      status: 200,
      tokens: 1,
      message: '',
      passing: false,
    });
    const chat: ModelQuestion = { kind: 'messages', model: 'claude-haiku-4-5' };
    expect(await fixture.ask(chat, fixture.plaintext)).toMatchObject({
      verdict: 'works',
      tokens: expect.any(Number) as number,
    });
    const spent = 10n ** 10n - (fixture.sandbox.state.keys.get(fixture.key.id)?.remain ?? 0n);
    // A grain is 0.00000001 of a dollar.
    expect(spent).toBeLessThan(600_000n);
  });

  it.each(['401', '403'] as const)(
    'refuses a key that is wrong, disabled or used up (%s)',
    async (model_key_errors) => {
      await using fixture = await open({ model_key_errors });
      const refusal = { verdict: 'refused', status: Number(model_key_errors) };
      expect(await fixture.ask(embedding, 'sk-nobodyknowsthiskey')).toMatchObject({
        ...refusal,
        message: expect.stringContaining('invalid_api_key') as string,
      });
      fixture.sandbox.traffic.disableKey(fixture.key.id);
      expect(await fixture.ask(embedding, fixture.plaintext)).toMatchObject({
        ...refusal,
        message: 'key_disabled “this API key is disabled”',
      });
    },
  );

  it('without a channel has accepted the key', async () => {
    await using fixture = await open();
    const unserved = { kind: 'embeddings', model: 'no-such-model' } as const;
    expect(await fixture.ask(unserved, fixture.plaintext)).toMatchObject({
      verdict: 'no-channel',
      status: 503,
    });
    expect(await fixture.ask(unserved, 'sk-nobodyknowsthiskey')).toMatchObject({ verdict: 'refused' });
  });
});

describe('the answer of a model', () => {
  const result = {
    object: 'list',
    data: [{ embedding: [0.5], index: 0 }],
    model: 'm',
    usage: { prompt_tokens: 3, total_tokens: 3 },
  };

  it.each<readonly [string, Given, Partial<ModelAnswer>]>([
    ['a result', { body: result }, { verdict: 'works', tokens: 3 }],
    ['a result that counts nothing', { body: { data: [{ embedding: 'AAAA' }] } }, { verdict: 'works' }],
    ['a refusal', { status: 401, body: error('invalid_api_key') }, { verdict: 'refused', passing: true }],
    ['a refusal of few words', { status: 403 }, { verdict: 'refused', message: '' }],
    [
      'no channel',
      { status: 503, body: error('model_not_found', '没有可用渠道') },
      { verdict: 'no-channel' },
    ],
    [
      'no channel of another kind',
      { status: 503, body: error('channel:no_available_key') },
      { verdict: 'no-channel' },
    ],
    ['no such model', { status: 404, body: error('model_not_found') }, { verdict: 'no-channel' }],
    [
      'a text about channels without a code',
      { status: 503, body: { error: { message: 'no available channel' } } },
      { verdict: 'unknown', passing: true },
    ],
    [
      'a page of a proxy',
      { status: 503, body: '<title>Service Unavailable</title>' },
      { verdict: 'unknown', passing: true, message: '“Service Unavailable”' },
    ],
    [
      'too many requests',
      { status: 429, headers: { 'retry-after': '7' } },
      { verdict: 'limited', retryAfter: 7000 },
    ],
    ['too many requests, no more said', { status: 429 }, { verdict: 'limited', message: '' }],
    ['an overload', { status: 500, body: error('x') }, { verdict: 'unknown', passing: true }],
    [
      'an envelope that refuses',
      { body: { success: false, message: 'busy' } },
      { verdict: 'unknown', passing: true },
    ],
    ['an error under 200', { body: error('invalid_api_key') }, { verdict: 'unknown', passing: true }],
    ['an empty list', { body: { data: [] } }, { verdict: 'unknown' }],
    ['nothing at all', {}, { verdict: 'unknown' }],
    [
      'another address',
      { status: 302, headers: { location: '/login' } },
      { verdict: 'unknown', passing: false },
    ],
    ['no such path', { status: 404 }, { verdict: 'unknown', passing: false }],
  ])('that is %s', async (_what, given, due) => {
    const { ask } = await scripted(given);
    const answer = await ask(embedding);
    expect(answer).toMatchObject({ ...embedding, status: given.status ?? 200, ...due });
    if (given.status === 429 && due.retryAfter === undefined) expect(answer).not.toHaveProperty('retryAfter');
  });

  it('that rejects dimensions is followed by a request without them', async () => {
    const { ask, bodies } = await scripted({ status: 400, body: error('bad') }, { body: result });
    expect(await ask(embedding)).toMatchObject({ verdict: 'works' });
    expect(bodies()).toEqual([
      { model: embedding.model, input: 'toll', dimensions: 8 },
      { model: embedding.model, input: 'toll' },
    ]);
    const always = await scripted({ status: 400, body: error('bad', 'no embeddings here') });
    expect(await always.ask(embedding)).toMatchObject({ verdict: 'unknown', passing: false });
    expect(always.bodies()).toHaveLength(2);
    const chat = await scripted({ status: 400 });
    await chat.ask({ kind: 'messages', model: 'm' });
    expect(chat.bodies()).toEqual([
      {
        model: 'm',
        max_tokens: 1024,
        stream: false,
        messages: [{ role: 'user', content: 'Answer with the word ok.' }],
      },
    ]);
  });

  it.each([
    ['no block', [], 'unknown'],
    ['an empty text', [{ type: 'text', text: '' }], 'unknown'],
    ['a text', [{ type: 'text', text: 'ok' }], 'works'],
    ['a tool call', [{ type: 'tool_use', id: 't', name: 'n', input: {} }], 'works'],
  ])('of a chat with %s proves the key only if it has content', async (_, content, verdict) => {
    const body = { content, role: 'assistant', usage: { input_tokens: 3, output_tokens: 1 } };
    const { ask } = await scripted({ body });
    expect(await ask({ kind: 'messages', model: 'm' })).toMatchObject({
      verdict,
      message: verdict === 'works' ? '' : 'the answer has no content',
      passing: verdict === 'unknown',
    });
  });

  it('that never arrives proves nothing about the key', async () => {
    const gone = await plainServer((request) => request.socket.destroy());
    expect(await callerOf(gone.url.origin).ask(embedding)).toMatchObject({
      verdict: 'unknown',
      passing: true,
      message: expect.stringMatching(/closed the connection/) as string,
    });
  });

  it('never shows the key, whatever the gateway echoes', async () => {
    const bare = plaintext.slice(3);
    const { ask, lines } = await scripted(
      { status: 401, body: error(plaintext, `wrong key ${plaintext} or ${bare}`) },
      { status: 500, body: `<b>${plaintext}</b>` },
      { body: { success: false, message: `new key "key":"${bare}"` } },
    );
    for (let time = 0; time < 3; time += 1)
      expect(JSON.stringify(await ask(embedding))).not.toContain(bare.slice(0, 12));
    expect(lines.join('\n')).not.toContain(bare);
    expect(lines).toHaveLength(3);
  });

  it('is not requested with a key that no header can carry, and stops on abort', async () => {
    const { ask, caller, secrets, bodies } = await scripted({ body: result });
    expect(await ask(embedding, 'sk-two\nlines')).toMatchObject({ verdict: 'refused', passing: false });
    const reason = new Error('stopped');
    await expect(
      caller(secrets.register(plaintext), embedding, { signal: AbortSignal.abort(reason) }),
    ).rejects.toBe(reason);
    expect(bodies()).toEqual([]);
  });
});
