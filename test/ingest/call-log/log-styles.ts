import fc from 'fast-check';
import { plainStyle, type SourceStyle } from './log-source.ts';

/** `2026-01-01T00:00:00.000Z` of seconds UTC. */
export const iso = (at: number): string => new Date(at * 1000).toISOString();

/** The forms in which gateways write seconds UTC. */
export const times: readonly ((at: number) => string)[] = [
  String,
  (at) => String(at * 1000 + 999),
  (at) => iso(at).replace('.000', ''),
  (at) => `${iso(at + 28_800).slice(0, 19)}+08:00`,
  (at) => iso(at).slice(0, 19).replace('T', ' '),
];

/** Whatever gateways write, in pieces of so many bytes. */
export const anyStyle = (pieces: { readonly min: number; readonly max: number }): fc.Arbitrary<SourceStyle> =>
  fc.record({
    time: fc.constantFrom(...times),
    endInclusive: fc.boolean(),
    newline: fc.constantFrom('\n' as const, '\r\n' as const),
    bom: fc.boolean(),
    title: fc.boolean(),
    total: fc.boolean(),
    guard: fc.boolean(),
    quoteAll: fc.boolean(),
    endsLines: fc.boolean(),
    newestFirst: fc.boolean(),
    names: fc.constantFrom<SourceStyle['names']>(
      {},
      { quota: 'cost_usd', prompt_tokens: 'Prompt Tokens' },
      { note: 'id', type: 'log_type', created_at: "'created_at" },
    ),
    order: fc.shuffledSubarray([...plainStyle.order], { minLength: 7 }),
    chunk: fc.integer(pieces),
  });
