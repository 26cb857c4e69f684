import type { Commands, KeyOutcome, RotationState } from '../../daemon/index.ts';
import { shellWord } from '../../core/index.ts';

type KeyCommands = Commands['keys'];

const ended: ReadonlySet<string> = new Set(['done', 'given-up']);

/** What moves a rotation on that this command leaves open, where no daemon does. */
const onlyBy = (services: readonly string[]): string => {
  const [first = 'SERVICE', second] = services;
  const service = second === undefined ? shellWord(first) : 'SERVICE';
  return `no daemon runs: nothing moves ${second === undefined ? 'this' : 'these'} on until \`tollkeeper serve\` runs, or \`tollkeeper keys rotate ${service}\` is said again, or \`tollkeeper run JOB\` of a job in mode apply`;
};

/** One that waits for a person says itself what it waits for. */
const goesOn = ({ stage }: RotationState): boolean => !ended.has(stage) && stage !== 'waiting';

const told = (outcome: KeyOutcome): KeyOutcome => {
  const open = outcome.rotations.filter(goesOn).map(({ service }) => service);
  return open.length === 0 ? outcome : { ...outcome, notes: [...outcome.notes, onlyBy(open)] };
};

/** The commands of a process that ends with its answer: what is left open is nobody's from then on, and that is said. */
export const withoutDaemon = (keys: KeyCommands): KeyCommands => ({
  ...keys,
  apply: async (...given) => told(await keys.apply(...given)),
  rotate: async (...given) => told(await keys.rotate(...given)),
  create: async (...given) => told(await keys.create(...given)),
  resume: async (...given) => told(await keys.resume(...given)),
  confirm: async (request) => {
    const { said } = await keys.confirm(request);
    return { said: `${said}; ${onlyBy([request.service])}` };
  },
});
