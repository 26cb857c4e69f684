import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { goodEnv, goodFiles, load } from './support/load.ts';
import { few } from '../support/storm.ts';

const secrets = [goodEnv.GATEWAY_ADMIN_KEY, 'pa%2Fss-word', 'pa/ss-word'];

const snippets = [
  // Single characters: of YAML, white space, and those that a text may not contain.
  ...Array.from('{}[]"\'#~\t\n\u0000\u202e😀\uffff'),
  ': ',
  '- ',
  '&a ',
  '*a',
  '!!binary ',
  '|\n',
  '>\n',
  '\r\n',
  '---\n',
  '? ',
  '<<: ',
  '.nan',
  '1e999',
  '-0',
  '0x10',
  '__proto__',
  'constructor',
  '${',
  '$${',
  '${GATEWAY_ADMIN_KEY}',
  '${NOPE}',
  '${file:/x}',
  '%YAML 1.1\n',
];

const edit = fc.record({
  file: fc.constantFrom(...Object.keys(goodFiles)),
  at: fc.nat(2000),
  drop: fc.nat(40),
  put: fc.oneof(fc.constantFrom(...snippets), fc.string({ maxLength: 8 })),
});

const property = async (files: Record<string, string>): Promise<void> => {
  const { config, faults, text } = await load(files, goodEnv, { checkSchedule: () => undefined });
  // Either a config or faults, never both and never neither.
  expect(config === undefined).toBe(faults.length > 0);
  for (const fault of faults) {
    const lines = (files[fault.file] ?? '').split(/\r\n|\n/);
    expect(fault.line).toBeGreaterThanOrEqual(1);
    expect(fault.line).toBeLessThanOrEqual(lines.length);
    expect(fault.column).toBeGreaterThanOrEqual(1);
    expect(fault.column).toBeLessThanOrEqual((lines[fault.line - 1]?.length ?? 0) + 2);
    expect(fault.message.length).toBeGreaterThan(5);
    expect(fault.message).not.toMatch(/Invalid input|expected .*received|undefined|\[object/);
  }
  for (const secret of secrets) expect(text).not.toContain(secret);
};

describe('any input', () => {
  it('in a mutated valid config gives a config or faults with positions, and never throws', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(edit, { minLength: 1, maxLength: 4 }), async (edits) => {
        const files: Record<string, string> = { ...goodFiles };
        for (const { file, at, drop, put } of edits) {
          const text = files[file] ?? '';
          const start = at % (text.length + 1);
          files[file] = text.slice(0, start) + put + text.slice(start + drop);
        }
        await property(files);
      }),
      { numRuns: few(500, 5000) },
    );
  });

  it.each(['constructor', 'toString', 'valueOf', 'hasOwnProperty', '__proto__'])(
    'with a key named %s in place of any other gives a config or faults, and never throws',
    async (name) => {
      for (const [file, text] of Object.entries(goodFiles))
        for (const { index, 0: key } of text.matchAll(/[\w-]+(?=:\s)/g))
          await property({
            ...goodFiles,
            [file]: text.slice(0, index) + name + text.slice(index + key.length),
          });
    },
  );

  it('in place of any part gives a config or faults with positions, and never throws', async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue({ maxDepth: 4 }), fc.constantFrom(0, 1, 2, 3), async (value, place) => {
        const json = JSON.stringify(value);
        const settings =
          [json, `accounts: { main: ${json} }`, `mail: ${json}\nteams: ${json}`, ''][place] ?? '';
        const jobs = [
          `jobs: ${json}`,
          `jobs: { a: ${json} }`,
          json,
          `jobs: { a: { kind: report, mail: ${json} } }`,
        ];
        await property({ 'config/tollkeeper.yaml': settings, 'config/jobs/a.yaml': jobs[place] ?? '' });
      }),
      { numRuns: few(200, 2000) },
    );
  });
});
