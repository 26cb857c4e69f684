import { describe, expect, it } from 'vitest';
import type { ModelAnswer } from '../../src/gateway/index.ts';
import { verifyKey } from '../../src/keys/cycle/verify.ts';
import { manualClock } from '../support/manual-clock.ts';

const answerOf = (verdict: ModelAnswer['verdict'], more: Partial<ModelAnswer> = {}): ModelAnswer => ({
  kind: 'embeddings',
  model: 'small',
  verdict,
  message: '',
  passing: verdict !== 'works',
  ...more,
});
const works = answerOf('works', { status: 200, tokens: 1 });
const refused = answerOf('refused', { status: 401, message: 'invalid_api_key “nein”' });
const unknown = answerOf('unknown', { status: 502 });

/** Answers one after the other, the last again and again. */
const verifying = (answers: readonly ModelAnswer[], timeout?: number) => {
  const clock = manualClock();
  let asked = 0;
  const call = (): Promise<ModelAnswer> => {
    asked += 1;
    return Promise.resolve(answers[Math.min(asked, answers.length) - 1] ?? works);
  };
  const { signal } = new AbortController();
  const result = verifyKey(call, { clock, signal, ...(timeout === undefined ? {} : { timeout }) });
  return { result, clock, asked: () => asked };
};

describe('a key is verified', () => {
  it('immediately when it works', async () => {
    const { result, clock } = verifying([works]);
    expect(await result).toEqual({
      verdict: 'works',
      evidence: 'POST /v1/embeddings with small answered 200, 1 token',
    });
    expect(clock.waits).toEqual([]);
  });

  it('when it is let in to a model without a channel', async () => {
    const { result } = verifying([answerOf('no-channel', { status: 503 })]);
    expect(await result).toMatchObject({
      verdict: 'no-channel',
      evidence: expect.stringContaining('503') as string,
    });
  });

  it('when caches accept it within the timeout', async () => {
    const { result, clock } = verifying([refused, unknown, refused, refused, works]);
    expect(await result).toMatchObject({
      evidence: expect.stringMatching(/ 200, 1 token, at try 5 after 15 s$/) as string,
    });
    expect(clock.waits).toEqual([1000, 2000, 4000, 8000]);
  });
});

describe('a key is refused', () => {
  it('only when calls fail until the timeout, with growing pauses', async () => {
    const { result, clock, asked } = verifying([refused]);
    await expect(result).rejects.toMatchObject({
      code: 'key-verify-refused',
      retryHelps: false,
      message: expect.stringMatching(/401 after 9 tries in 90 s: invalid_api_key “nein”$/) as string,
    });
    expect(clock.waits).toEqual([1000, 2000, 4000, 8000, 16_000, 20_000, 20_000, 19_000]);
    expect(asked()).toBe(9);
  });

  it('after the timeout from the first refusal, not from earlier inconclusive answers', async () => {
    const { result, clock } = verifying([unknown, unknown, refused], 10_000);
    await expect(result).rejects.toMatchObject({ code: 'key-verify-refused' });
    expect(clock.waits.reduce((sum, wait) => sum + wait, 0)).toBe(13_000);
  });

  it('immediately without a timeout, or if waiting cannot help', async () => {
    for (const { result, clock } of [verifying([refused], 0), verifying([{ ...refused, passing: false }])]) {
      await expect(result).rejects.toMatchObject({ code: 'key-verify-refused' });
      expect(clock.waits).toEqual([]);
    }
  });
});

describe('a verification is inconclusive', () => {
  it('when no answer is conclusive: it can be retried', async () => {
    for (const last of [unknown, answerOf('unknown'), answerOf('limited', { status: 429 })]) {
      const { result, clock } = verifying([refused, last], 5000);
      await expect(result).rejects.toMatchObject({ code: 'key-verify-unclear', retryHelps: true });
      expect(clock.waits.reduce((sum, wait) => sum + wait, 0)).toBe(5000);
    }
  });

  it('when the gateway asks for more time than is left: it does not wait', async () => {
    const later = answerOf('limited', { status: 429, retryAfter: 600_000 });
    const { result, clock } = verifying([later]);
    await expect(result).rejects.toMatchObject({ retryHelps: true, retryAfter: 600_000 });
    expect(clock.waits).toEqual([]);
    const soon = verifying([answerOf('limited', { status: 429, retryAfter: 30_000 }), works]);
    await soon.result;
    expect(soon.clock.waits).toEqual([30_000]);
  });

  it('when the call itself is wrong: a retry does not help', async () => {
    const wrong = answerOf('unknown', { status: 400, passing: false });
    await expect(verifying([wrong]).result).rejects.toMatchObject({
      code: 'key-verify-unclear',
      retryHelps: false,
      advice: expect.stringContaining('`verify`') as string,
    });
  });
});

describe('a stopped verification', () => {
  it('ends with the reason, in a call or between two', async () => {
    const stop = new AbortController();
    const reason = new Error('stopped');
    const call = (): Promise<ModelAnswer> => {
      stop.abort(reason);
      return Promise.resolve(unknown);
    };
    await expect(verifyKey(call, { clock: manualClock(), signal: stop.signal })).rejects.toBe(reason);
    await expect(verifyKey(call, { clock: manualClock(), signal: stop.signal })).rejects.toBe(reason);
  });
});
