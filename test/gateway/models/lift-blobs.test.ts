import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { BlobStore } from '../../../src/gateway/index.ts';
import { liftBlobs } from '../../../src/gateway/models/lift-blobs.ts';
import { once } from '../../support/storm.ts';

/** A store that keeps what it gets, and knows what was abandoned. */
const openStore = () => {
  const saved: Buffer[] = [];
  let abandoned = 0;
  const store: BlobStore = {
    open: () => {
      const pieces: Uint8Array[] = [];
      return Promise.resolve({
        write: (piece) => {
          pieces.push(piece);
          return Promise.resolve();
        },
        close: () => {
          const bytes = Buffer.concat(pieces);
          saved.push(bytes);
          return Promise.resolve({ path: `blob ${saved.length - 1}`, bytes: bytes.length });
        },
        abandon: () => {
          abandoned += 1;
          return Promise.resolve();
        },
      });
    },
  };
  return { store, saved, abandoned: () => abandoned };
};

async function* piecesOf(text: string, size: number): AsyncGenerator<Uint8Array, void> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

const lift = async (text: string, size = 1000, limit = 1_000_000) => {
  const { store, saved, abandoned } = openStore();
  const outcome = await liftBlobs(piecesOf(text, size), { store, mark: 'MARK-', limit }).catch(
    (error: unknown) => error,
  );
  return { outcome: outcome as Awaited<ReturnType<typeof liftBlobs>>, saved, abandoned };
};

describe('a long string in base64', () => {
  it('is saved while the answer is read, wherever its bytes are cut, and all else stays', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uint8Array({ minLength: 30_000, maxLength: 60_000 }),
        fc.jsonValue({ maxDepth: 2 }),
        fc.constantFrom(7, 1000, 65_536),
        fc.constantFrom('', 'data:image/png;base64,'),
        fc.boolean(),
        async (bytes, other, size, prefix, escapes) => {
          const base64 = `${prefix}${Buffer.from(bytes).toString('base64')}`;
          const written = JSON.stringify({
            other,
            data: [{ b64_json: base64 }, { text: 'x y '.repeat(20_000) }],
          });
          const { outcome, saved } = await lift(escapes ? written.replaceAll('/', '\\/') : written, size);
          const isLong = base64.length > 33_000;
          expect(JSON.parse(outcome.text)).toEqual({
            other: JSON.parse(JSON.stringify(other)) as unknown,
            data: [{ b64_json: isLong ? 'MARK-0' : expect.any(String) }, { text: 'x y '.repeat(20_000) }],
          });
          if (isLong) expect(saved.map((one) => one.equals(Buffer.from(bytes)))).toEqual([true]);
        },
      ),
      { numRuns: once(60) },
    );
  });

  it.each([
    [
      'with a character that is not base64',
      `{"a":"${'QUJD'.repeat(10_000)}!${'QUJD'.repeat(10)}"}`,
      'gateway-answer-unreadable',
    ],
    [
      'with data behind its padding',
      `{"a":"${'QUJD'.repeat(10_000)}QQ==QUJD${'A'.repeat(40_000)}"}`,
      'gateway-answer-unreadable',
    ],
    ['that lacks a character', `{"a":"${'QUJD'.repeat(10_000)}Q"}`, 'gateway-answer-unreadable'],
    ['that is cut off', `{"a":"${'QUJD'.repeat(10_000)}`, 'gateway-connection-lost'],
  ])('%s is an error, and nothing of it stays', async (_, text, code) => {
    const { outcome, saved, abandoned } = await lift(text);
    expect(outcome).toMatchObject({ code });
    expect([saved.length, abandoned()]).toEqual([0, 1]);
  });

  it('of an answer that has too much besides is an error', async () => {
    expect((await lift(`{"a":"${'x y '.repeat(300_000)}"}`)).outcome).toMatchObject({
      code: 'gateway-answer-too-large',
    });
  });
});
