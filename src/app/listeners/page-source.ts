import {
  errorFields,
  fault,
  iso,
  noProgress,
  shellWord,
  type Clock,
  type Log,
  type UnixMillis,
} from '../../core/index.ts';
import {
  createLinkUse,
  readReport,
  type LinkUse,
  type listenForPage,
  type PageActions,
} from '../../web/index.ts';
import type { ProgramHandlers } from '../control/handlers.ts';

/** What the status page shows and does. A standby asks the working replica for it. */
export type PageSource = Pick<
  Parameters<typeof listenForPage>[0],
  'view' | 'status' | 'feed' | 'report' | 'actions' | 'ended'
> & { readonly links: LinkUse };

type ActionHandlers = Pick<
  ProgramHandlers,
  'alerts/acknowledge' | 'alerts/mute' | 'alerts/unmute' | 'outbox/resend'
>;

type SourceDeps = Pick<PageSource, 'view' | 'status' | 'feed'> & {
  readonly handlers: ActionHandlers & Pick<ProgramHandlers, 'run'>;
  readonly isJob: (name: string) => boolean;
  /** Whether something was done in this name before. */
  readonly wasUsed: LinkUse['wasUsed'];
  readonly logOut: (by: string, at: UnixMillis, expiresAt: UnixMillis) => Promise<void>;
  readonly clock: Pick<Clock, 'now'>;
  /** The report archive. */
  readonly reportsDirectory: string;
  readonly log: Log;
};

/** The context of a command that runs in the background. */
const detached = { progress: noProgress, signal: new AbortController().signal };

/** The actions of the page, by the commands that do the same. */
export const pageActions = (handlers: ActionHandlers, run: PageActions['run']): PageActions => ({
  run,
  acknowledge: async (alert) => void (await handlers['alerts/acknowledge'](alert)),
  mute: async ({ until, ...alert }) => void (await handlers['alerts/mute']({ ...alert, until: iso(until) })),
  unmute: async (alert) => void (await handlers['alerts/unmute'](alert)),
  resend: async (id) => {
    const [answer] = await handlers['outbox/resend']({ ids: [id] }, detached);
    if (answer?.done !== true)
      throw fault('wrong-use', `mail ${id} cannot be sent again: ${answer?.message ?? 'no such row'}`, {
        advice: `\`tollkeeper outbox resend ${shellWord(id)}\` tries the same`,
      });
  },
});

/** The source of the process that works on the database. */
export const createPageSource = ({
  handlers,
  isJob,
  wasUsed,
  logOut,
  clock,
  reportsDirectory,
  log,
  ...shown
}: SourceDeps): PageSource => {
  const actions = pageActions(handlers, async (job) => {
    if (!isJob(job))
      throw fault('job-unknown', `unknown job ${job}`, {
        advice: 'open the status page again: it lists the jobs',
      });
    // The run takes as long as it takes; its outcome is on the page.
    handlers
      .run({ job }, detached)
      .catch((error: unknown) =>
        log.warn('a run that was requested on the status page did not begin', { job, ...errorFields(error) }),
      );
  });
  return {
    ...shown,
    report: (job, slot) => readReport(reportsDirectory, job, slot),
    actions,
    links: createLinkUse(wasUsed, actions),
    ended: {
      hasEnded: (id) => wasUsed(`login ${id}`),
      end: ({ id, expiresAt }) => logOut(`login ${id}`, clock.now(), expiresAt),
    },
  };
};
