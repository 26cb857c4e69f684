import { join } from 'node:path';
import { exemptFile } from '../../support/secret-watch.ts';
import { openTown, type Town } from './daemon.ts';

/** A town whose job `rotate-prod` rotates `batch*` in mode apply, into one variable of a file that is there. */
export const openKeyTown = async (content: string): Promise<Town> => {
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
  exemptFile(await town.folder.write('secrets/batch.env', content));
  return town;
};
