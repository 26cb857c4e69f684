import { countText, type Clock, type Progress } from '../../core/index.ts';
import type { Call, CommandHandlers, CommandName, commandTable } from '../../control/index.ts';
import {
  namesByAccount,
  type DoctorCheck,
  type DoctorView,
  type NamesByAccount,
} from '../../doctor/index.ts';
import { version } from '../../version.ts';
import type { BackupResult } from '../../jobs/index.ts';
import type { Answers, Requests } from '../runtime/requests.ts';
import { createKeyHandlers } from './keys/handlers.ts';
import { createKeyLease } from './keys/key-work.ts';
import type { App } from '../compose.ts';
import { createAlertHandlers } from './alerts.ts';
import { createOutboxHandlers } from './outbox.ts';
import { createRunHandlers } from './runs.ts';
import { createStatus, type ProcessState } from './status.ts';

export type HandlerDeps = {
  readonly clock: Clock;
  readonly app: App;
  readonly state: () => ProcessState;
};

const configChecks = (faults: ProcessState['config']['faults']): readonly DoctorCheck[] =>
  faults.map(({ file, line, column, message, advice }) => ({
    about: 'new config',
    state: 'failed',
    message: `${file}:${line}:${column}: ${message}; the previous configuration stays active`,
    advice,
  }));

/** A replica that differs does something else after a takeover. */
const replicaChecks = async ({ replicas: known, config }: App): Promise<readonly DoctorCheck[]> => {
  const { replicas = [] } = await known.ofStatus(config());
  if (replicas.length === 0) return [];
  const different = replicas.filter(({ differs }) => differs.length > 0);
  if (different.length === 0)
    return [
      {
        about: 'replicas',
        state: 'ok',
        message: `${countText(replicas.length, 'replica')} with the same configuration and version`,
      },
    ];
  return different.map(({ name, differs }) => ({
    about: 'replicas',
    state: 'warning',
    message: `${name} differs from the one that works in: ${differs.join(', ')}`,
    advice: 'give all replicas the same configuration and version; after a takeover its own counts',
  }));
};

/** Answers a request by the runtime of the configuration that applies when it arrives. */
const onRuntime =
  <Request, Answer>(app: App, handlerOf: (requests: Requests) => Answers<Request, Answer>) =>
  async (
    request: Request,
    { progress, signal }: { readonly progress: Progress; readonly signal: AbortSignal },
  ): Promise<Answer> => {
    using runtime = app.lease();
    return await handlerOf(runtime)(request, progress, signal);
  };

export const createHandlers = ({ clock, app, state }: HandlerDeps) =>
  ({
    status: createStatus({ clock, app, state }),
    ...createRunHandlers({ clock, app }),
    ...createOutboxHandlers({ clock, app }),
    ...createAlertHandlers({ clock, app }),
    ...createKeyHandlers(createKeyLease({ clock, app })),
    'keys/audit': () => app.compareAudit(),
    report: onRuntime(app, ({ composeReport }) => composeReport),
    focus: onRuntime(app, ({ focus }) => focus),
    backtest: onRuntime(app, ({ backtest }) => backtest),
    query: onRuntime(app, ({ query }) => query),
    backup: (request, { progress, signal }): Promise<BackupResult> =>
      app.backups.take(request, progress, signal),
    doctor: async (request, { progress, signal }): Promise<DoctorView> => {
      using runtime = app.lease();
      const { now, zone, checks, learned } = await runtime.doctor(request, progress, signal);
      const { config } = state();
      return {
        version,
        now,
        zone,
        checks: [...configChecks(config.faults), ...(await replicaChecks(app)), ...checks],
        learned,
      };
    },
    names: (): Promise<NamesByAccount> =>
      namesByAccount(Object.keys(app.config().settings.accounts), app.warehouse),
    reconcile: onRuntime(app, ({ reconcile }) => reconcile),
  }) satisfies CommandHandlers;

export type ProgramHandlers = ReturnType<typeof createHandlers>;

export type CommandAnswer<Name extends CommandName> = Awaited<ReturnType<ProgramHandlers[Name]>>;

export type Commands = Call<typeof commandTable, ProgramHandlers>;
