import { z } from 'zod';
import { listText, shellWord, type UnixMillis } from '../../core/index.ts';
import type { DeadKey, OutdatedService, RotationView } from '../../keys/index.ts';
import type { Block, Item, Note, Text } from '../blocks.ts';
import type { Tone } from '../tones.ts';
import { as, picked, section, time, timed, type Look } from './section.ts';

const title = 'Key rotations';

/** Keeps the line readable. */
const maxNames = 5;

type Named = { readonly service: string };

/** `a rotation is paused: prod-search`; nothing without services. */
const needed = (all: readonly Named[], one: string, more: string): readonly string[] =>
  all.length === 0
    ? []
    : [
        `${all.length === 1 ? one : more}: ${listText(
          all.map(({ service }) => service),
          maxNames,
        )}`,
      ];

const ofServices = <T extends Named>(
  all: readonly T[] = [],
  { isOwnService }: { readonly isOwnService: (service: string) => boolean },
): readonly T[] => all.filter(({ service }) => isOwnService(service));

const noteBlock = (...notes: readonly Note[]): readonly Block[] =>
  notes.length === 0 ? [] : [{ title, notes }];

/** Why all work on keys is stopped, and the next step. */
export type KeyProblemView = { readonly code: string; readonly message: string; readonly advice: string };

/** An account whose gateway's clock deviates from this host's: the problem and the next step. */
type ClockProblemView = { readonly account: string; readonly message: string };

type DeadKeyView = DeadKey & { readonly account: string };

type OutdatedServiceView = OutdatedService & { readonly account: string };

export const keyProblemSection = section({
  path: 'data.keyProblem',
  facts: z.custom<KeyProblemView>().optional(),
  needsPerson: (problem) => (problem === undefined ? [] : ['the key journal failed verification']),
  blocks: (problem) =>
    problem === undefined
      ? []
      : noteBlock({
          text: `key operations are suspended: ${problem.message}`,
          tone: 'bad',
          advice: `${problem.advice} (${problem.code})`,
        }),
});

export const clockProblemsSection = section({
  path: 'data.clockProblems',
  facts: z.custom<readonly ClockProblemView[]>().optional(),
  needsPerson: (problems = []) =>
    problems.length === 0 ? [] : [`the clock is wrong: ${problems.map(({ account }) => account).join(', ')}`],
  blocks: (problems = []) =>
    noteBlock(
      ...problems.map(({ account, message }) => ({ text: `${account}: ${message}`, tone: 'bad' as const })),
    ),
});

export const deadKeysSection = section({
  path: 'data.deadKeys',
  facts: z
    .array(timed<DeadKeyView>({ since: time }))
    .readonly()
    .optional(),
  ofTeam: ofServices,
  needsPerson: (dead = []) =>
    needed(dead, 'a sink holds a key that no longer works', 'sinks hold keys that no longer work'),
  blocks: (dead = []) =>
    noteBlock(
      ...dead.map(({ service, place, name, state, since }) => ({
        text: [`${place} holds ${name}, which is ${state} (read `, { at: since }, ')'],
        tone: 'bad' as const,
        advice: `\`tollkeeper keys rotate ${shellWord(service)}\` delivers a working key`,
      })),
    ),
});

export const outdatedSection = section({
  path: 'data.outdated',
  facts: z
    .array(timed<OutdatedServiceView>({ since: time }))
    .readonly()
    .optional(),
  ofTeam: ofServices,
  needsPerson: (outdated = []) =>
    needed(outdated, 'the key journal is out of date', 'the key journal is out of date'),
  blocks: (outdated = []) =>
    noteBlock(
      ...outdated.flatMap(({ service, differences }): readonly Note[] => [
        {
          text: `key operations of ${service} are suspended: the key journal is out of date`,
          tone: 'bad',
          advice: `stop any other Tollkeeper that manages it, then run \`tollkeeper keys reconcile ${shellWord(service)}\``,
        },
        ...differences.map((text) => ({ text, isDetail: true })),
      ]),
    ),
});

const isPaused = ({ stage }: RotationView): boolean => stage === 'waiting';
const isHeld = ({ isHeldByPlace }: RotationView): boolean => isHeldByPlace === true;
const isOverdue = (one: RotationView): boolean => !isPaused(one) && one.escalated === true;

/** Those that need a person first, then those with a failed step. */
const ranks: readonly (readonly [(one: RotationView) => boolean, Tone])[] = [
  [isPaused, 'bad'],
  [(one) => isOverdue(one) || isHeld(one), 'bad'],
  [({ tries }) => tries > 0, 'warn'],
  [() => true, 'busy'],
];
const rankOf = (one: RotationView): number => ranks.findIndex(([holds]) => holds(one));

/** For a rotation with a failed step: `failed 2 times, 3 attempts left, next in 4 min`. */
const triesText = ({ stage, tries, triesAllowed, nextTry }: RotationView, now: number): Text | undefined => {
  if (tries === 0 || stage === 'waiting') return undefined;
  const left = triesAllowed === undefined ? undefined : Math.max(0, triesAllowed - tries);
  const begins = nextTry !== undefined && nextTry <= now;
  return [
    `failed ${tries === 1 ? 'once' : `${tries} times`}`,
    ...(left === undefined ? [] : [`, ${left} ${left === 1 ? 'attempt' : 'attempts'} left`]),
    ...(begins ? [', next attempt in the coming cycle'] : []),
    ...(nextTry === undefined || begins ? [] : [', next ', { at: nextTry, isAhead: true }]),
  ];
};

const rotationItem = (one: RotationView, isOneAccount: boolean, { now }: Look): Item => {
  const { service, account, stage, since, old, candidate, message } = one;
  const tries = triesText(one, now);
  const rank = rankOf(one);
  return {
    name: service,
    state: { text: stage, tone: ranks[rank]?.[1] ?? 'busy' },
    cells: [
      ...(isOneAccount ? [] : [{ title: 'Account', value: account, spare: 2 }]),
      { title: 'Since', value: { at: since }, spare: 2 },
      { title: 'Old key', value: old === undefined ? undefined : `${old.name} (id ${old.keyId})`, spare: 3 },
      {
        title: 'New key',
        value: candidate === undefined ? undefined : `${candidate.name} (id ${candidate.keyId})`,
        spare: 3,
      },
    ],
    notes: [
      { text: message, ...(rank < 2 ? { tone: 'bad' as const } : {}) },
      ...(tries === undefined ? [] : [{ text: tries, tone: 'warn' as const }]),
    ],
    isBad: rank < 2,
  };
};

/** Open rotations; missing when no keys are rotated. */
export const rotationsSection = section({
  path: 'data.rotations',
  facts: z
    .array(timed<RotationView>({ since: time, nextTry: time }))
    .readonly()
    .optional(),
  ofTeam: ofServices,
  needsPerson: (rotations = []) => [
    ...needed(
      rotations.filter(isHeld),
      'an old key is retained because a place may still hold it',
      'old keys are retained because a place may still hold them',
    ),
    ...needed(rotations.filter(isPaused), 'a rotation is paused', 'rotations are paused'),
    ...needed(
      rotations.filter(isOverdue),
      'an old key is past the deadline',
      'old keys are past the deadline',
    ),
  ],
  blocks: (rotations = [], look) =>
    rotations.length === 0
      ? []
      : [
          {
            title,
            noun: 'Rotation',
            items: rotations
              .toSorted((one, other) => rankOf(one) - rankOf(other))
              .map((one) =>
                rotationItem(one, new Set(rotations.map(({ account }) => account)).size === 1, look),
              ),
            most: 20,
            all: 'tollkeeper keys list',
            notes: look.hasDaemon
              ? []
              : [
                  {
                    text: 'no daemon is running: rotations advance only while `tollkeeper serve` runs',
                    tone: 'warn',
                  },
                ],
          },
        ],
});

/** A key as the last snapshot or the key journal shows it. */
export type KeyAgeView = {
  readonly account: string;
  readonly keyId: number;
  readonly name: string;
  readonly service: string;
  readonly team?: string | undefined;
  readonly created?: UnixMillis | undefined;
  readonly expires?: UnixMillis | undefined;
  /** The job that rotates it, and the age in milliseconds at which it does. */
  readonly job?: string | undefined;
  readonly every?: number | undefined;
};

export type KeysView = {
  /** Oldest first; keys of unknown age last. */
  readonly keys: readonly KeyAgeView[];
  /** Time of the oldest snapshot among the accounts; missing without one. */
  readonly readAt?: UnixMillis | undefined;
};

const ageItem = ({ name, keyId, team, created, every, expires }: KeyAgeView, now: number): Item => ({
  name,
  about: `(id ${keyId})`,
  cells: [
    { title: 'Team', value: team },
    { title: 'Age', value: created === undefined ? 'unknown' : { millis: now - created } },
    { title: 'Rotated at', value: every === undefined ? undefined : { millis: every } },
    { title: 'Expires', value: expires === undefined ? 'never' : { at: expires } },
  ],
  ...(created !== undefined && every !== undefined && now - created > every
    ? { state: { text: 'due', tone: 'warn' } }
    : {}),
});

export const keyAgesSection = section({
  path: 'keys',
  facts: picked<KeysView>({
    readAt: time,
    keys: z.array(
      picked<KeyAgeView>({
        account: as,
        keyId: as,
        name: as,
        service: as,
        team: as,
        job: as,
        every: as,
        created: time,
        expires: time,
      }),
    ),
  }),
  blocks: ({ keys, readAt }, { now }) =>
    keys.length === 0
      ? []
      : [
          {
            title: 'Keys by age',
            on: 'page',
            items: keys.map((key) => ageItem(key, now)),
            isTable: true,
            most: 20,
            all: 'tollkeeper keys list',
            notes: readAt === undefined ? [] : [{ text: ['as of the snapshot of ', { at: readAt }] }],
          },
        ],
});
