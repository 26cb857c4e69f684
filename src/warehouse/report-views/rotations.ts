import { columnsOf } from './relation.ts';
import type { ReportView } from './view.ts';

export const rotationsView: ReportView = {
  name: 'rotations',
  reads: ['key_event'],
  description: 'rotations of API keys: one row for each that has ended in the periods',
  ofWholeAccount: true,
  columns: columnsOf([
    ['service', 'VARCHAR', 'as in cube'],
    ['outcome', 'VARCHAR', "'done', or 'given-up' by a person"],
    ['started_seconds', 'BIGINT', 'time of its first step, seconds UTC'],
    ['ended_seconds', 'BIGINT', 'time of its last step, seconds UTC'],
  ]),
  sql: async ({ request, range, now }) =>
    Promise.resolve({
      sql: `
        WITH own AS (
          SELECT rotation, service, what, taken_at FROM key_event
          WHERE account = $account AND taken_at <= $now AND rotation <> ''
        ),
        started AS (SELECT rotation, min(taken_at) AS at FROM own GROUP BY rotation)
        SELECT own.service, own.what, started.at // 1000, own.taken_at // 1000
        FROM own JOIN started ON started.rotation = own.rotation
        WHERE own.what IN ('done', 'given-up') AND own.taken_at >= $from AND own.taken_at < $to
        ORDER BY own.taken_at`,
      bindings: { account: request.account, now, from: range.start * 1000, to: range.end * 1000 },
    }),
};
