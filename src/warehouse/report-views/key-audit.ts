import { columnsOf } from './relation.ts';
import type { ReportView } from './view.ts';

export const keyAuditView: ReportView = {
  name: 'key_audit',
  description:
    'the head of the audit file of API keys at the moment of the run, whose hash holds for all lines before it; no row where no step was taken',
  ofWholeAccount: true,
  columns: columnsOf([
    ['steps', 'BIGINT', 'lines of the file, of all accounts'],
    ['head', 'VARCHAR', 'SHA-256 of the last of them, 64 hex digits'],
    ['taken_seconds', 'BIGINT', 'when that step was taken, seconds UTC'],
  ]),
  sql: async ({ now }) =>
    Promise.resolve({
      sql: `
        SELECT seq, hash, taken_at // 1000 FROM key_event
        WHERE taken_at <= $now ORDER BY seq DESC LIMIT 1`,
      bindings: { now },
    }),
};
