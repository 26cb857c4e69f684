import type { RunView } from '../../daemon/index.ts';
import { iso, isoOr } from '../ui/json.ts';

export const runJson = (run: RunView) => ({
  ...run,
  slot: iso(run.slot),
  through: isoOr(run.through),
  interval: { start: iso(run.interval.start), end: iso(run.interval.end) },
  nextAttempt: isoOr(run.nextAttempt),
  attempts: run.attempts.map((attempt) => ({
    ...attempt,
    startedAt: iso(attempt.startedAt),
    endedAt: isoOr(attempt.endedAt),
  })),
});
