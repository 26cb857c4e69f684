import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

/** Texts of the repository by their paths from its root. */
export type Texts = ReadonlyMap<string, string>;

/** Files of the repository, those included that are new and not committed yet. */
export const pathsOf = (root: string): ReadonlySet<string> =>
  new Set(
    execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '-z'], {
      cwd: root,
      encoding: 'utf8',
    })
      .split('\0')
      .filter((path) => path !== '' && existsSync(`${root}${path}`)),
  );

/** The wanted files that contain text. */
export const readTexts = (
  root: string,
  paths: ReadonlySet<string>,
  wanted: (path: string) => boolean,
): Texts =>
  new Map(
    [...paths]
      .filter(wanted)
      .map((path) => [path, readFileSync(`${root}${path}`, 'utf8')] as const)
      .filter(([, text]) => !text.includes('\0')),
  );
