import { toSeconds, type Clock, type Money } from '../../core/index.ts';
import type { Config } from '../../config/index.ts';
import { chartDays, spendDays } from '../../monitoring/index.ts';
import type { OutboxState } from '../../storage/index.ts';
import { statusOfTeam, type PageView } from '../../web/index.ts';
import { costOwnersOf } from '../accounts/cost-owners.ts';
import { readAlerts } from '../control/alerts.ts';
import type { ProgramHandlers } from '../control/handlers.ts';
import type { App } from '../compose.ts';
import { jobHistory } from '../queries/job-history.ts';
import { keyAges } from '../queries/key-ages.ts';
import { mailsOfJob, nextMails } from '../queries/next-mails.ts';
import type { SpendReader } from '../queries/spend-status.ts';

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

/** What belongs to a team: the jobs that mail it, and the services of its keys. */
const scopeOf = (
  team: string,
  config: Config,
  services: ReadonlySet<string>,
): Parameters<typeof statusOfTeam>[1] => {
  const mailed = new Map(Object.keys(config.jobs).map((job) => [job, mailsOfJob(config, job)] as const));
  return {
    isOwnJob: (job) => mailed.get(job)?.some((mail) => mail.team === team) === true,
    isOwnMail: (job, part) =>
      mailed.get(job)?.some((mail) => mail.team === team && mail.part === part) === true,
    isOwnService: (service) => services.has(service),
  };
};

/** Reads what the page shows; undefined for a team that is not configured. */
export const createPageView =
  ({ clock, app, readSpend, handlers }: PageViewDeps) =>
  async (asked: string | undefined): Promise<PageView | undefined> => {
    const team = asked?.normalize('NFC');
    using runtime = app.lease();
    const { config } = runtime;
    const { warehouse } = app;
    const teams = Object.keys(config.settings.teams);
    if (team !== undefined && !teams.includes(team)) return undefined;
    const whole = await handlers.status();
    const { now } = whole;
    const keys = await keyAges({ runtime, warehouse }, now, team);
    const services = new Set(keys.keys.map(({ service }) => service));
    const status = team === undefined ? whole : statusOfTeam(whole, scopeOf(team, config, services));
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
