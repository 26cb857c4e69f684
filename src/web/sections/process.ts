import { z } from 'zod';
import { countText, type UnixMillis } from '../../core/index.ts';
import type { LedgerProblem } from '../../scheduler/index.ts';
import type { Block, Note } from '../blocks.ts';
import { section, time, timed } from './section.ts';

const title = 'Daemon';

const noteBlock = (...notes: readonly Note[]): readonly Block[] => [{ title, notes }];

/** The process that runs the jobs; missing when none does. */
export type DaemonView = {
  readonly pid: number;
  readonly startedAt: UnixMillis;
  readonly stopping: boolean;
  /** Its name, where replicas share PostgreSQL: it holds the leases on all accounts. */
  readonly replica?: string;
};

export type ConfigFaultView = {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly message: string;
  readonly advice?: string | undefined;
};

export type ConfigView = {
  readonly loadedAt: UnixMillis;
  /** Faults of a newer config that was not applied. */
  readonly faults: readonly ConfigFaultView[];
  /** Changed settings that take effect at the next start. */
  readonly atNextStart: readonly string[];
};

/** A process that serves on a database that several share. */
export type ReplicaView = {
  readonly name: string;
  readonly version: string;
  readonly state: 'working' | 'standing by' | 'in doubt';
  /** When it was heard of last, by the clock of the database. */
  readonly seenAt: UnixMillis;
  /** In what it differs from the replica that works: `version`, `timezone`, `job daily-spend`. */
  readonly differs: readonly string[];
};

export const daemonSection = section({
  path: 'daemon',
  facts: timed<DaemonView>({ startedAt: time }).optional(),
  blocks: (daemon, { now, version }) => {
    if (daemon === undefined)
      return noteBlock(
        { text: `no daemon is running (version ${version})`, tone: 'warn' },
        { text: '`tollkeeper serve` runs jobs on their schedules', isDetail: true },
      );
    const { pid, startedAt, stopping, replica } = daemon;
    const since = [{ at: startedAt }, ' (', { millis: now - startedAt }, ')'];
    return noteBlock(
      stopping
        ? { text: ['daemon stopping, running since ', ...since], tone: 'warn' }
        : { text: ['daemon running since ', ...since], tone: 'good' },
      {
        text: `pid ${pid}, version ${version}${replica === undefined ? '' : `; works as the replica ${replica} on PostgreSQL, for all accounts`}`,
        isDetail: true,
      },
    );
  },
});

export const replicasSection = section({
  path: 'replicas',
  facts: z
    .array(timed<ReplicaView>({ seenAt: time }))
    .readonly()
    .optional(),
  blocks: (replicas = []) =>
    replicas.length === 0
      ? []
      : [
          {
            title,
            noun: 'Replica',
            items: replicas.map(({ name, version, state, seenAt, differs }) => ({
              name,
              state: {
                text: state,
                tone: ({ working: 'good', 'standing by': 'quiet', 'in doubt': 'warn' } as const)[state],
              },
              cells: [
                { title: 'Version', value: version },
                { title: 'Heard of', value: { at: seenAt } },
              ],
              notes:
                differs.length === 0
                  ? []
                  : [{ text: `differs from the one that works in: ${differs.join(', ')}`, tone: 'warn' }],
            })),
          },
        ],
});

export const configSection = section({
  path: 'config',
  facts: timed<ConfigView>({ loadedAt: time }),
  ofTeam: (config) => ({ ...config, faults: [], atNextStart: [] }),
  needsPerson: ({ faults }) =>
    faults.length === 0 ? [] : [`${countText(faults.length, 'fault')} in the config`],
  blocks: ({ loadedAt, faults, atNextStart }) => [
    { title, on: 'page', notes: [{ text: ['configuration loaded ', { at: loadedAt }] }] },
    ...(faults.length === 0
      ? []
      : noteBlock(
          {
            text: [
              `${countText(faults.length, 'fault')} in the config; the one read `,
              { at: loadedAt },
              ' remains active',
            ],
            tone: 'bad',
          },
          ...faults.map(({ file, line, column, message, advice }) => ({
            text: `${file}:${line}:${column}: ${message}`,
            advice,
            isDetail: true,
          })),
        )),
    ...(atNextStart.length === 0 ? [] : noteBlock({ text: `requires a restart: ${atNextStart.join(', ')}` })),
  ],
});

/** Why nothing can be stored, such as a full disk; missing when the last change was. */
export const storeSection = section({
  path: 'storeProblem',
  facts: timed<LedgerProblem>({ since: time }).optional(),
  needsPerson: (problem) => (problem === undefined ? [] : [`nothing can be stored: ${problem.message}`]),
  blocks: (problem) =>
    problem === undefined
      ? []
      : noteBlock({
          text: ['nothing can be stored since ', { at: problem.since }, `: ${problem.message}`],
          tone: 'bad',
          advice: problem.advice,
        }),
});
