import { expect, it } from 'vitest';
import { adviceOf } from '../../src/core/index.ts';
import { germanAdvice } from '../../src/messages/de/advice.ts';
import { chineseAdvice } from '../../src/messages/zh/advice.ts';
import { approved, titled } from '../support/approved.ts';

const codes = Object.keys(germanAdvice);
const english = Object.fromEntries(codes.map((code) => [code, adviceOf(code) ?? '']));

it.each([
  ['en', english, /[^.]$/],
  ['de', germanAdvice, /\.$/],
  ['zh', chineseAdvice, /。$/],
] as const)(
  'the advice of each fault that a mail may be about has a text in %s',
  async (language, texts, end) => {
    await expect(titled(Object.entries(texts))).toMatchFileSnapshot(approved('advice', language));
    expect(Object.keys(texts)).toEqual(codes);
    for (const [code, text] of Object.entries<string>(texts)) expect(text, code).toMatch(end);
  },
);
