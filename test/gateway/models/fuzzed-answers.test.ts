import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createSecretRegistry, isFault, silentLog } from '../../../src/core/index.ts';
import {
  callModel,
  createModelDeps,
  modelEndpoints,
  streamMessage,
  type ModelEndpoint,
} from '../../../src/gateway/index.ts';
import type { Http } from '../../../src/http/index.ts';
import { manualClock } from '../../support/manual-clock.ts';
import { countingStore } from './counting-store.ts';
import { inputs } from './inputs.ts';
import { samples } from './samples.ts';
import { plaintext } from './scripted-models.ts';
import { once } from '../../support/storm.ts';

/** A transport that answers with these bytes, cut into pieces, and breaks off at the end where it should. */
const transport = (
  status: number,
  type: string,
  body: Buffer,
  { size, breaks }: { readonly size: number; readonly breaks: boolean },
): Http => {
  async function* pieces(): AsyncGenerator<Uint8Array, void> {
    for (let at = 0; at < body.length; at += size) yield body.subarray(at, at + size);
    if (breaks) throw Object.assign(new Error('closed'), { name: 'NetworkTrouble', kind: 'connection-lost' });
  }
  return {
    send: () =>
      Promise.resolve({
        status,
        headers: { 'content-type': type },
        url: 'http://127.0.0.1/',
        body: pieces(),
        text: async () => {
          const all: Uint8Array[] = [];
          for await (const piece of pieces()) all.push(piece);
          return Buffer.concat(all).toString();
        },
        discard: () => Promise.resolve(),
      }),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
};

const depsOf = (http: Http) => {
  const secrets = createSecretRegistry();
  const deps = createModelDeps({
    baseUrl: 'http://127.0.0.1:1',
    http,
    clock: manualClock(),
    random: () => 0.5,
    log: silentLog,
    secrets,
  });
  return { deps, key: secrets.register(plaintext) };
};

/** The answer of an endpoint as the contract has it; image submissions share one, and so do music submissions. */
const sampleOf = ({ name }: ModelEndpoint): string => {
  const own = name.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
  const shared = name === 'concat' ? samples.uploadAudio : samples.imagine;
  return JSON.stringify(Object.hasOwn(samples, own) ? samples[own as keyof typeof samples] : shared);
};

/** A change at a place of a text, both drawn as shares of it. */
const change = fc.record({
  from: fc.double({ min: 0, max: 1, noNaN: true }),
  length: fc.nat(40),
  insert: fc.oneof(
    fc.constantFrom(
      '',
      '"',
      '\\',
      '{',
      ']',
      'null',
      '1e999',
      '-1',
      '"\\ud800"',
      '\u0000',
      ',',
      '[[[[',
      '{"a":',
    ),
    fc.string({ maxLength: 20 }),
    fc.json({ maxDepth: 2 }),
  ),
});

const mutated = (
  text: string,
  changes: readonly { from: number; length: number; insert: string }[],
): string =>
  changes.reduce((now, { from, length, insert }) => {
    const at = Math.floor(from * now.length);
    return now.slice(0, at) + insert + now.slice(at + length);
  }, text);

const cutting = fc.record({ size: fc.constantFrom(1, 3, 17, 1000), breaks: fc.boolean() });

describe('whatever a model endpoint answers', () => {
  it('a call returns a value or a catalogue error', async () => {
    const count = once(1200);
    let values = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...modelEndpoints),
        fc.oneof(
          { weight: 3, arbitrary: fc.array(change, { maxLength: 3 }) },
          fc.json(),
          fc.string({ unit: 'binary', maxLength: 200 }),
          fc
            .nat(80_000)
            .map((length) => `{"data":[{"b64_json":"${'QUJD'.repeat(length / 4)}"}],"created":1}`),
        ),
        fc.constantFrom(200, 200, 200, 201, 400, 500),
        fc.constantFrom('application/json', 'text/html', 'image/png', ''),
        cutting,
        fc.boolean(),
        async (endpoint, drawn, status, type, cut, saves) => {
          const body = typeof drawn === 'string' ? drawn : mutated(sampleOf(endpoint), drawn);
          const { deps, key } = depsOf(transport(status, type, Buffer.from(body), cut));
          try {
            const options = saves ? { store: countingStore() } : {};
            const { value, deviations } = await callModel(
              deps,
              endpoint,
              key,
              inputs[endpoint.name] ?? {},
              options,
            );
            expect(value).not.toBeUndefined();
            expect(JSON.stringify(value).length + deviations.length).toBeGreaterThan(0);
            values += 1;
          } catch (error) {
            if (!isFault(error)) throw error;
          }
        },
      ),
      { numRuns: count },
    );
    // About one case in twenty gives a value; the limit is so low that chance does not miss it.
    expect(values).toBeGreaterThan(count / 200);
  });

  it('a streamed chat returns a message or a catalogue error, and never text that did not come', async () => {
    const events = [
      { type: 'message_start', message: { ...samples.messages, content: [], stop_reason: null } },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      ...['Hel', 'lo ', 'wor', 'ld.'].map((text) => ({
        type: 'content_block_delta',
        index: 0,
        delta: { type: 'text_delta', text },
      })),
      {
        type: 'message_delta',
        delta: { stop_reason: 'end_turn', stop_sequence: null },
        usage: { output_tokens: 4 },
      },
      { type: 'message_stop' },
    ];
    const whole = events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('');
    const count = once(800);
    let [complete, broken] = [0, 0];
    await fc.assert(
      fc.asyncProperty(
        fc.array(change, { maxLength: 2 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        cutting,
        async (changes, share, cut) => {
          const text = mutated(whole, changes);
          const kept = Buffer.from(text).subarray(0, Math.ceil(share * Buffer.byteLength(text)));
          const { deps, key } = depsOf(transport(200, 'text/event-stream', kept, cut));
          const pieces: string[] = [];
          const input = { model: 'm', messages: [{ role: 'user', content: 'x' }] };
          try {
            const { value } = await streamMessage(deps, key, input, (piece) => pieces.push(piece));
            complete += 1;
            expect(value.content?.map((block) => block?.text ?? '').join('')).toBe(pieces.join(''));
          } catch (error) {
            if (!isFault(error)) throw error;
            broken += 1;
            if ('arrived' in error) {
              const { content } = error.arrived as { content?: ({ text?: string } | undefined)[] };
              expect((content ?? []).map((block) => block?.text ?? '').join('')).toBe(pieces.join(''));
            }
          }
        },
      ),
      { numRuns: count },
    );
    expect([complete > count / 160, broken > count / 8]).toEqual([true, true]);
  });
});
