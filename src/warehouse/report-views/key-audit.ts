import { columnsOf } from './relation.ts';
import type { ReportView } from './view.ts';

export const keyAuditView: ReportView = {
  name: 'key_audit',
  reads: ['key_event'],
  description:
    'the head of the audit file of API keys at the time of the run; its hash covers all earlier lines; no row if no step was taken',
  ofWholeAccount: true,
  columns: columnsOf([
    ['steps', 'BIGINT', 'lines in the file, for all accounts'],
    ['head', 'VARCHAR', 'SHA-256 of the last line, 64 hex digits'],
    ['taken_seconds', 'BIGINT', 'time of the last step, seconds UTC'],
  ]),
  sql: async ({ now }) =>
    Promise.resolve({
      sql: `
        SELECT seq, hash, taken_at // 1000 FROM key_event
        WHERE taken_at <= $now ORDER BY seq DESC LIMIT 1`,
      bindings: { now },
    }),
};
