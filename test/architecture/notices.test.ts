import { expect, it } from 'vitest';
import { codeOf, readSources, type SourceFile } from './imports.ts';

const root = new URL('../../src', import.meta.url).pathname;

/** Here things are decided; what they are called is written in `keys/events` and `messages`. */
const deciding = ['keys/steps/', 'keys/retirement/', 'keys/rotation/', 'keys/cycle/', 'reconcile/', 'jobs/'];

const built = /\b(?:words|message):\s*(?:[^,;{}'"`]*\?\s*)?['"`]/g;

/** The sentences that files of these folders build as `words` or `message`, counted by file. */
const sentencesIn = (sources: readonly SourceFile[]): Readonly<Record<string, number>> =>
  Object.fromEntries(
    sources
      .filter(({ path }) => deciding.some((folder) => path.startsWith(folder)))
      .map(({ path, text }) => [path, Array.from(codeOf(text).matchAll(built)).length] as const)
      .filter(([, count]) => count > 0),
  );

/** Answers of commands, records of the journal and faults of the configuration, which are in English; the list only shrinks. */
const allowed: Readonly<Record<string, number>> = {
  'jobs/alert/alert-shape.ts': 3,
  'jobs/backup/backup.ts': 1,
  'jobs/expire-keys/expire-rules.ts': 3,
  'jobs/keys/evidence-rules.ts': 4,
  'jobs/report/report.ts': 1,
  'jobs/rotate-keys/place-rules.ts': 3,
  'jobs/rotate-keys/rotate-rules.ts': 4,
  'jobs/rotate-keys/sink-faults.ts': 1,
  'keys/retirement/end-keys.ts': 6,
  'keys/rotation/advance.ts': 2,
  'keys/rotation/fail-step.ts': 1,
  'keys/steps/note-lost.ts': 1,
};

it('no sentence of a notice is built where it is decided', async () => {
  expect(sentencesIn(await readSources(root))).toEqual(allowed);
});

it('a planted sentence is counted, a passed one is not', () => {
  const planted = (text: string) => sentencesIn([{ path: 'keys/steps/a.ts', text }]);
  expect(planted('note({ what, words: `${name} is retained` });')).toEqual({ 'keys/steps/a.ts': 1 });
  expect(planted("note({ message: isGone ? 'it is gone' : why });")).toEqual({ 'keys/steps/a.ts': 1 });
  expect(planted('note({ words, message: holdText(why) });')).toEqual({});
  expect(sentencesIn([{ path: 'messages/en/a.ts', text: "({ message: 'it is gone' })" }])).toEqual({});
});
