import { toSeconds, type Clock, type Money } from '../../core/index.ts';
import type { Config } from '../../config/index.ts';
import { chartDays, spendDays } from '../../monitoring/index.ts';
import type { OutboxState } from '../../storage/index.ts';
import type { PageView, StatusView } from '../../web/index.ts';
import { costOwnersOf } from '../cost-owners.ts';
import { readAlerts } from '../handlers/alerts.ts';
import type { ProgramHandlers } from '../handlers/handlers.ts';
import type { App } from '../open-app.ts';
import { jobHistory } from './job-history.ts';
import { keyAges } from './key-ages.ts';
import { mailsOfJob, nextMails } from './next-mails.ts';
import type { SpendReader } from './spend-status.ts';

export type PageViewDeps = {
  readonly clock: Clock;
  readonly app: App;
  readonly readSpend: SpendReader;
  readonly handlers: Pick<ProgramHandlers, 'status' | 'outbox/list'>;
};

const maxMails = { stuck: 50, waiting: 20 };

const budgetOf = (
  { settings }: Pick<Config, 'settings'>,
  account: string,
  team: string | undefined,
): Money | undefined => {
  const owners = costOwnersOf(settings, account);
  return team === undefined ? owners.budget : owners.teams.find(({ name }) => name === team)?.budget;
};

/** Jobs, reports and rotations of one team; what is not about a team is left out. */
const ofTeam = (
  status: StatusView,
  team: string,
  config: Config,
  services: ReadonlySet<string>,
): StatusView => {
  const mailed = new Map(Object.keys(config.jobs).map((job) => [job, mailsOfJob(config, job)] as const));
  const jobs = status.jobs.filter(({ job }) => mailed.get(job)?.some((mail) => mail.team === team) === true);
  const names = new Set(jobs.map(({ job }) => job));
  const { data } = status;
  const isOwn = ({ service }: { readonly service: string }): boolean => services.has(service);
  return {
    ...status,
    jobs,
    open: status.open.filter(({ job }) => names.has(job)),
    mail: { waiting: 0, failed: 0, unknown: 0, held: 0 },
    config: { ...status.config, faults: [], atNextStart: [] },
    ...(data === undefined
      ? {}
      : {
          data: {
            zone: data.zone,
            accounts: [],
            reports: {
              newest: (data.reports?.newest ?? []).filter(
                ({ job, part }) =>
                  mailed.get(job)?.some((mail) => mail.team === team && mail.part === part) === true,
              ),
            },
            rotations: data.rotations?.filter(isOwn) ?? [],
            deadKeys: data.deadKeys?.filter(isOwn) ?? [],
            outdated: data.outdated?.filter(isOwn) ?? [],
          },
        }),
  };
};

/** Reads what the page shows; undefined for a team that is not configured. */
export const createPageView =
  ({ clock, app, readSpend, handlers }: PageViewDeps) =>
  async (team: string | undefined): Promise<PageView | undefined> => {
    using runtime = app.lease();
    const { config } = runtime;
    const { warehouse } = app;
    const teams = Object.keys(config.settings.teams);
    if (team !== undefined && !teams.includes(team)) return undefined;
    const whole = await handlers.status();
    const { now } = whole;
    const keys = await keyAges({ runtime, warehouse }, now, team);
    const services = new Set(keys.keys.map(({ service }) => service));
    const status = team === undefined ? whole : ofTeam(whole, team, config, services);
    const spend = await readSpend(config, { now, team });
    const days = spendDays(toSeconds(now), config.settings.timezone).slice(-chartDays);
    const mails = async (states: readonly OutboxState[], limit: number) =>
      handlers['outbox/list']({ states, limit });
    const { waiting, failed, unknown, held } = status.mail;
    return {
      status,
      team,
      teams,
      spend: spend.map((one) => ({ ...one, budget: budgetOf(config, one.account, team) })),
      alerts: (await readAlerts({ clock, app })).filter((one) => team === undefined || one.team === team),
      history: {
        days: days.map(({ date }) => date),
        jobs: await jobHistory(
          status.jobs.map(({ job }) => ({ job, account: config.jobs[job]?.account ?? '' })),
          days,
          warehouse.runs,
        ),
      },
      keys,
      nextMails: nextMails(config, status.jobs, team),
      mails: {
        stuck:
          failed + unknown + held === 0 ? [] : await mails(['failed', 'unknown', 'held'], maxMails.stuck),
        waiting: waiting === 0 ? [] : await mails(['queued', 'sending', 'deferred'], maxMails.waiting),
      },
    };
  };
