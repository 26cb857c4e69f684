import { join } from 'node:path';
import { expect } from 'vitest';
import type { Ran } from '../../support/program.ts';
import { exemptFile } from '../../support/secret-watch.ts';
import { openTown, type Town } from './daemon.ts';

export type KeyTown = Town & {
  readonly keys: (...argv: readonly string[]) => Promise<Ran>;
  /** Keys of the gateway. */
  readonly names: () => readonly string[];
  /** Makes a key as a person does. */
  readonly createByHand: (
    name: string,
    at?: number,
  ) => ReturnType<Town['sandbox']['state']['keys']['create']>;
};

/** A town whose job `rotate-prod` rotates `batch*` in mode apply, into one variable of a file that is there. */
export const openKeyTown = async (): Promise<KeyTown> => {
  const town = await openTown('2026-11-20T09:30:00Z');
  await town.jobs(
    `rotate-prod:
    kind: rotate-keys
    keys: { name: "batch*" }
    every: 30d
    mode: apply
    deliver: [{ file: { path: "${join(town.folder.path, 'secrets', '{service}.env')}", variable: KEY } }]
    verify: { embeddings: { model: text-embedding-3-small } }
    retire: { when: unused, quiet: 1d }`,
    'pull-logs: { kind: pull-logs, schedule: "7 * * * *", since: 2026-11-19 }',
  );
  exemptFile(await town.folder.write('secrets/batch.env', 'OTHER=1\n'));
  const { keys } = town.sandbox.state;
  return {
    ...town,
    keys: (...argv) => town.run('keys', ...argv),
    names: () =>
      keys
        .all()
        .map(({ name }) => name)
        .filter((name) => name.startsWith('batch')),
    createByHand: (name, at = Date.parse('2026-09-01T00:00:00Z')) =>
      keys.create({
        name,
        remain: 0n,
        unlimited: true,
        expiredTime: -1,
        group: 'default',
        createdAt: Math.floor(at / 1000),
      }),
  };
};

/** Asserts that a command exits with 0, and shows its output if it does not. Returns its standard output. */
export const fine = async (run: Promise<Ran>): Promise<string> => {
  const ran = await run;
  expect([ran.code, ran.code === 0 ? '' : `${ran.stdout}${ran.stderr}`]).toEqual([0, '']);
  return ran.stdout;
};
