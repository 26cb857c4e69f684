import { iso } from '../../core/index.ts';
import { z } from 'zod';
import { alertsJson, commandTable, statusJson, type OpenCommands, type StatusView } from '../../app/index.ts';
import { keysJson } from '../keys/render/list.ts';
import { recordsOf } from '../query/render.ts';
import { viewsNamed } from '../schema/views.ts';

export type Commands = Pick<OpenCommands, 'call'>;

type Account = NonNullable<StatusView['data']>['accounts'][number];

/** What every answer states beside its figures: how far the data reaches, and whether it agrees with the gateway. */
const basisOf = ({ account, currency, log, compared, gaps }: Account) => ({
  account,
  currency,
  watermark: log === undefined ? null : iso(log.end),
  reconciliation:
    compared.length === 0 && gaps.length === 0
      ? 'not compared yet: run `tollkeeper reconcile`'
      : {
          compared: compared.map(({ source, verdict, text, range }) => ({
            source,
            verdict,
            text,
            from: iso(range.start),
            to: iso(range.end),
          })),
          openGaps: gaps
            .filter(({ state }) => state === 'open')
            .map(({ source, text }) => ({ source, text })),
        },
});

const basesOf = async (commands: Commands, account: string | undefined) => {
  const status = await commands.call('status', {});
  const accounts = (status.data?.accounts ?? []).filter(
    (one) => account === undefined || one.account === account,
  );
  return { status, bases: accounts.map(basisOf) };
};

const { sql, period, account } = commandTable.query.input.shape;

const groups = {
  model: 'model_name',
  service: 'service',
  team: 'team',
  day: 'day',
} as const;

/** Consumption less refunds, as in reports. */
const spendSql = (by: keyof typeof groups | undefined): string => {
  const column = by === undefined ? '' : `, ${groups[by]}`;
  return `SELECT period${column}, coalesce(sum(spend), 0) AS spend, coalesce(sum(calls), 0) AS calls
    FROM cube WHERE kind IN ('consumption', 'refund') AND period IN ('current', 'comparison')
    GROUP BY ALL ORDER BY period DESC, spend DESC${column}`;
};

const answerOf = async (
  commands: Commands,
  request: {
    readonly sql: string;
    readonly period?: string | undefined;
    readonly account?: string | undefined;
    readonly compare?: boolean;
  },
) => {
  const answer = await commands.call('query', request);
  const { bases } = await basesOf(commands, request.account);
  return {
    period: answer.period,
    zone: answer.zone,
    currency: answer.currency ?? null,
    ...(answer.verdict === undefined ? {} : { verdict: answer.verdict }),
    rows: recordsOf(answer),
    basis: bases[0] ?? null,
  };
};

const tool = <Shape extends z.ZodRawShape>(one: {
  readonly description: string;
  readonly input: Shape;
  readonly run: (input: z.output<z.ZodObject<Shape>>, commands: Commands) => Promise<unknown>;
}) => one;

/** All of them only read. Numbers are exact text, times ISO 8601 in UTC. */
export const tools = {
  spend: tool({
    description:
      'Exact spend (consumption less refunds) and calls of a period and of the period before it, in total or by model, service, team or day. The verdict says whether the period agrees with the gateway.',
    input: { period, account, by: z.enum(['model', 'service', 'team', 'day']).optional() },
    run: async ({ by, ...request }, commands) =>
      answerOf(commands, { ...request, sql: spendSql(by), compare: true }),
  }),
  budgets: tool({
    description: 'Budgets, balance and key quotas with spend, forecast and state as last evaluated.',
    input: {},
    run: async (_, commands) => ({
      alerts: alertsJson(await commands.call('alerts/list', {})),
      accounts: (await basesOf(commands, undefined)).bases,
    }),
  }),
  keys: tool({
    description: 'API keys with age, expiry, use and open rotations. Never contains a key itself.',
    input: { account, key: commandTable['keys/list'].input.shape.key },
    run: async (request, commands) => ({
      ...keysJson(await commands.call('keys/list', { ...request, days: 30 })),
      basis: (await basesOf(commands, request.account)).bases,
    }),
  }),
  jobs: tool({
    description: 'Jobs with their schedule, last and next run, and failures with the next step.',
    input: {},
    run: async (_, commands) => {
      const { status, bases } = await basesOf(commands, undefined);
      return { jobs: statusJson(status, [])['jobs'], accounts: bases };
    },
  }),
  query: tool({
    description:
      'One SELECT over the views that the tool schema lists. Use sum() over cube, whose rows are not calls.',
    input: { sql, period, account },
    run: async (request, commands) => answerOf(commands, request),
  }),
  schema: tool({
    description: 'The views and columns that SQL can read, with types, units and meaning.',
    input: { view: z.string().optional().describe('Only this view.') },
    run: async ({ view }, commands) => ({
      views: viewsNamed(view),
      accounts: (await basesOf(commands, undefined)).bases,
    }),
  }),
};
