import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { simpleParser } from 'mailparser';
import { onTestFinished } from 'vitest';
import { mailFolder } from '../../../src/notify/index.ts';
import type { JobFixture, RunChange } from '../../support/job-fixture.ts';

/** An account, and where its report jobs put their mails and reports. */
export type ReportFixture = JobFixture & { readonly folder: string; readonly change: RunChange };

/** A folder for mails and reports that goes with the test, and what a run is told of it. */
export const reportPlaces = async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tollkeeper-report-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const change = {
    mail: { from: 'reports@example.com', mails: mailFolder(join(folder, 'outbox')) },
    reports: { folder: join(folder, 'reports'), attachLimit: 1e7 },
  } satisfies RunChange;
  return { folder, change };
};

/** The queued mails of a kind, or all. */
export const mailsIn = async (
  { context, folder }: Pick<ReportFixture, 'context' | 'folder'>,
  kind?: string,
) => {
  const rows = await context.warehouse.outbox.list(kind === undefined ? {} : { kind });
  return Promise.all(
    rows.map(async (row) => {
      const bytes = await readFile(join(folder, 'outbox', row.file));
      return { row, bytes, parsed: await simpleParser(bytes) };
    }),
  );
};
