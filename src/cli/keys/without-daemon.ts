import type { KeyOutcome, RotationState } from '../../daemon/index.ts';
import { shellWord } from '../../core/index.ts';

const ended: ReadonlySet<string> = new Set(['done', 'given-up']);

/** What moves rotations on that a command leaves open, where no daemon does. */
export const onlyBy = (services: readonly string[]): string => {
  const [first = 'SERVICE', second] = services;
  const service = second === undefined ? shellWord(first) : 'SERVICE';
  return `no daemon is running: ${second === undefined ? 'this' : 'these'} will not advance until you start \`tollkeeper serve\`, repeat \`tollkeeper keys rotate ${service}\`, or run a job in mode apply with \`tollkeeper run JOB\``;
};

/** One that waits for a person says itself what it waits for. */
const goesOn = ({ stage }: RotationState): boolean => !ended.has(stage) && stage !== 'waiting';

/** The outcome in a process that ends with its answer: what is left open is nobody's from then on, and that is said. */
export const withoutDaemon = (outcome: KeyOutcome): KeyOutcome => {
  const open = outcome.rotations.filter(goesOn).map(({ service }) => service);
  return open.length === 0 ? outcome : { ...outcome, notes: [...outcome.notes, onlyBy(open)] };
};
