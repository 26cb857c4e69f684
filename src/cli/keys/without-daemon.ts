import type { KeyOutcome, RotationView } from '../../app/index.ts';
import { shellWord } from '../../core/index.ts';

const ended: ReadonlySet<string> = new Set(['done', 'given-up']);

/** What advances the rotations that a command leaves open, when no daemon runs. */
export const onlyBy = (services: readonly string[]): string => {
  const [first = 'SERVICE', second] = services;
  const service = second === undefined ? shellWord(first) : 'SERVICE';
  return `no daemon is running: ${second === undefined ? 'this' : 'these'} will not advance until you start \`tollkeeper serve\`, repeat \`tollkeeper keys rotate ${service}\`, or run a job in mode apply with \`tollkeeper run JOB\``;
};

/** A rotation in action required states itself what it waits for. */
const goesOn = ({ stage }: RotationView): boolean => !ended.has(stage) && stage !== 'waiting';

/** Without a daemon nothing advances open rotations once this process ends, so the outcome says so. */
export const withoutDaemon = (outcome: KeyOutcome): KeyOutcome => {
  const open = outcome.rotations.filter(goesOn).map(({ service }) => service);
  return open.length === 0 ? outcome : { ...outcome, notes: [...outcome.notes, onlyBy(open)] };
};
