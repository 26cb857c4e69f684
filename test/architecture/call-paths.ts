import { fileURLToPath } from 'node:url';

const source = fileURLToPath(new URL('../../src/', import.meta.url));

/** A function of ours on a call path: its name, and its file below `src/`. */
export type PathStep = { readonly name: string; readonly file: string };

/**
 * The functions of `src/` that are under way at this moment, the outermost first: the callers on the stack, and those that
 * await them. A function without a name is counted with the named one that it is written in.
 */
export const stepsUnderWay = (): readonly PathStep[] => {
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = Number.POSITIVE_INFINITY;
  const { stack = '' } = new Error('trace');
  Error.stackTraceLimit = limit;
  return stack
    .split('\n')
    .map((line) => /^ +at (?:async )?(?:(.+?) \()?(?:file:\/\/)?(\/[^:)]+):\d+:\d+\)?$/.exec(line))
    .flatMap((found) => {
      const [, name, path = ''] = found ?? [];
      return path.startsWith(source) ? [{ name, file: path.slice(source.length) }] : [];
    })
    .map(({ name = '', file }) => ({ name: name.replace(/^(?:Object|Module|Array)\./, ''), file }))
    .toReversed();
};

const isNamed = ({ name }: PathStep): boolean =>
  name !== '' && !name.includes('<anonymous>') && name !== 'next';

/** One path of several that begin alike: the steps of the first, then those that the others add. */
export const joinPaths = (paths: readonly (readonly PathStep[])[]): readonly PathStep[] => {
  const seen = new Map<string, PathStep>();
  for (const step of paths.flat()) if (isNamed(step)) seen.set(`${step.file} ${step.name}`, step);
  return [...seen.values()];
};

/** As a numbered list of Markdown. */
export const pathText = (steps: readonly PathStep[]): string =>
  steps.map(({ name, file }, index) => `${index + 1}. \`${name}\` in \`${file}\``).join('\n');

/** The list that a page has between two comments, `<!-- call path: NAME -->` and `<!-- end -->`. */
export const pathOnPage = (page: string, name: string): string =>
  page.split(`<!-- call path: ${name} -->\n`)[1]?.split('<!-- end -->')[0]?.trim() ?? '';
