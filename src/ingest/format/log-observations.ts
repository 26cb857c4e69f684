import {
  errorFields,
  type GatewayProfile,
  type Log,
  type Money,
  type UnixSeconds,
} from '../../core/index.ts';
import type { LearnedPoint, SeenKinds, Warehouse } from '../../warehouse/index.ts';
import type { FetchedLogs } from '../call-log/fetch-logs.ts';
import { columnAt, sampleCells } from './learn-cells.ts';
import type { ProbedExport } from './learn-logs.ts';
import {
  amountPoints,
  columnPoints,
  guardPoint,
  probePoints,
  rangeEndPoint,
  timePoints,
} from './learned-points.ts';
import type { LogWindow } from '../call-log/log-windows.ts';
import { rangeEndShown, type EndedExport } from './range-end.ts';

export type ObservationDeps = {
  readonly account: string;
  readonly until: UnixSeconds;
  readonly profile: GatewayProfile;
  readonly warehouse: {
    readonly logs: Pick<Warehouse['logs'], 'amounts'>;
    readonly profile: Pick<Warehouse['profile'], 'learn' | 'points' | 'noteColumns' | 'noteKinds'>;
  };
  readonly log: Log;
};

/** A landed window, and how it was requested. */
export type LandedObservation = {
  readonly window: LogWindow;
  readonly fetched: Pick<FetchedLogs, 'ask' | 'received'>;
  /** Names of requested columns; empty when all were requested. */
  readonly asked: readonly string[];
  readonly rows: number;
  readonly quota: Money;
  /** Kinds of the rows; omitted when no column contains them. */
  readonly kinds: SeenKinds | undefined;
};

/** Records what a pull shows about its gateway. Never throws, so that data is not lost because of observations. */
export type LogObservations = {
  readonly landed: (observation: LandedObservation) => Promise<void>;
  /** Call it when the pull ends, successful or not. */
  readonly end: () => Promise<void>;
};

/** Values of the point `log.amounts` that no further window changes. */
const provenForms: ReadonlySet<string | undefined> = new Set(['units', 'currency']);

const maxNames = 20;

/** Names from a gateway, for a log line. */
const namesOf = (names: readonly string[]): string =>
  `${names
    .slice(0, maxNames)
    .map((name) => name.slice(0, 100))
    .join(', ')}${names.length > maxNames ? ', …' : ''}`;

const endedExport = ({ window, fetched: { ask, received }, rows }: LandedObservation): EndedExport => ({
  asked: ask,
  window,
  outside: (received?.served ?? 0) - rows,
  times:
    received === undefined || received.served === 0
      ? []
      : sampleCells(
          received.sample,
          received.sampleCut,
          columnAt(received.columns, 'created_at'),
          received.columns.length,
        ),
});

export const createLogObservations = (probed: ProbedExport, deps: ObservationDeps): LogObservations => {
  const { account, profile, warehouse, log, until } = deps;
  const written = new Map<string, string>();
  const notedKinds = new Set<string>();
  let guarded: boolean | undefined;
  let notedHeader: string | undefined;
  let before: EndedExport | undefined;

  const learn = async (points: readonly LearnedPoint[]): Promise<void> => {
    const fresh = points.filter(({ point, value }) => written.get(point) !== value);
    if (fresh.length === 0) return;
    for (const { point, value } of await warehouse.profile.learn(account, fresh))
      log.debug('learned about the gateway', { point, value });
    for (const { point, value } of fresh) written.set(point, value);
  };
  const noteColumns = async (observation?: LandedObservation): Promise<void> => {
    const answered = observation?.fetched.received?.columns;
    const header = JSON.stringify(answered?.map(({ name }) => name) ?? []);
    if (header === notedHeader) return;
    notedHeader = header;
    const { appeared, gone } = await warehouse.profile.noteColumns(account, {
      unasked: probed.titleLines === undefined ? undefined : probed.columns,
      ...(answered === undefined ? {} : { answered: { asked: observation?.asked ?? [], columns: answered } }),
    });
    if (appeared.length > 0)
      log.warn('the log export has new columns; they are stored', {
        columns: namesOf(appeared.map(({ name }) => name)),
      });
    if (gone.length > 0)
      log.warn('the log export no longer has some of its columns; their figures are unknown', {
        columns: namesOf(gone.map(({ name }) => name)),
      });
    await learn(columnPoints(probed, answered));
  };
  const noteKinds = async ({ window, kinds }: LandedObservation): Promise<void> => {
    if (kinds === undefined || (!kinds.hasUnknown && kinds.known.every((kind) => notedKinds.has(kind))))
      return;
    const unknown = await warehouse.profile.noteKinds(account, window);
    for (const kind of kinds.known) notedKinds.add(kind);
    if (unknown.length > 0)
      log.warn('the log export has rows of unknown kinds; they are not counted as spend or refunds', {
        kinds: namesOf(unknown),
      });
  };
  const guardsOf = async ({ fetched, window }: LandedObservation): Promise<readonly LearnedPoint[]> => {
    const { received } = fetched;
    if (received === undefined || received.served === 0) return [];
    // Guards may be rare if few texts need them: one observation is enough.
    guarded ??= (await warehouse.profile.points(account)).some(
      ({ point, value }) => point === 'log.guards' && value !== guardPoint(false, window).value,
    );
    guarded ||= received.scan.guarded;
    return [guardPoint(guarded, window, profile.logExport)];
  };
  const amountsOf = async ({ window, quota }: LandedObservation): Promise<readonly LearnedPoint[]> =>
    // What data has proven stays.
    provenForms.has(written.get('log.amounts'))
      ? []
      : amountPoints(await warehouse.logs.amounts(account), profile, window, quota);
  const quietly = async (work: () => Promise<void>): Promise<void> => {
    try {
      await work();
    } catch (error) {
      log.warn('observations about the gateway cannot be saved', errorFields(error));
    }
  };

  return {
    landed: async (observation) =>
      quietly(async () => {
        if (observation.fetched.received !== undefined) await noteColumns(observation);
        await noteKinds(observation);
        const ended = endedExport(observation);
        const shown = rangeEndShown(before, ended, until);
        before = ended;
        await learn([
          ...probePoints(probed, profile.logExport),
          ...timePoints(ended.times[0], profile),
          ...(ended.times.length === 0 ? [] : await amountsOf(observation)),
          ...(await guardsOf(observation)),
          ...(shown === undefined ? [] : [rangeEndPoint(shown.value, shown.second)]),
        ]);
      }),
    end: async () =>
      quietly(async () => {
        if (notedHeader === undefined && probed.titleLines !== undefined) await noteColumns();
        await learn(probePoints(probed, profile.logExport));
      }),
  };
};
