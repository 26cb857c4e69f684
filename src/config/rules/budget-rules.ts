import { compareMoney, tagNames, type YamlPath } from '../../core/index.ts';
import { scopeKeys, thresholdAmount, type WrittenBudget } from '../schema/budgets-schema.ts';
import { isName } from '../schema/fields.ts';
import type { JobKind } from '../schema/job-schema.ts';
import type { Settings } from '../schema/settings-schema.ts';
import type { ConfigFault } from '../load/config-fault.ts';
import type { DeclaredJob } from '../load/read-jobs.ts';
import { quoted, type Checked } from './check.ts';
import { addresseeFault, type Declared } from './rules.ts';
import { adviceForUnknown } from './suggest.ts';
import { tagFault } from './tag-rules.ts';

/** Names of the budgets in short form: `accounts.main.budget` is account-main. */
export const shortForms = ({ accounts, teams }: Settings): ReadonlyMap<string, string> =>
  new Map([
    ...Object.entries(accounts).flatMap(([name, { budget }]) =>
      budget === undefined ? [] : [[`account-${name}`, `accounts.${name}.budget`] as const],
    ),
    ...Object.entries(teams).flatMap(([name, { budget }]) =>
      budget === undefined ? [] : [[`team-${name}`, `teams.${name}.budget`] as const],
    ),
  ]);

type ShapeFault = {
  readonly path: YamlPath;
  readonly onKey: boolean;
  readonly message: string;
  readonly advice: string;
};

/** What is wrong with a budget by itself; the message follows its name. */
const shapeFaults = (budget: WrittenBudget): readonly ShapeFault[] => {
  const [first, second] = scopeKeys.filter((key) => budget[key] !== undefined);
  const tags = Object.keys(budget.tag ?? {});
  const unordered = (['thresholds', 'forecast_thresholds'] as const).flatMap((key) =>
    budget[key].flatMap((threshold, index, all): readonly ShapeFault[] => {
      const before = all[index - 1];
      if (
        before === undefined ||
        compareMoney(thresholdAmount(threshold, budget.amount), thresholdAmount(before, budget.amount)) > 0
      )
        return [];
      return [
        {
          path: [key, index],
          onKey: false,
          message: `.${key}[${index}] (${threshold.label}) is not higher than the threshold before it (${before.label})`,
          advice: 'write thresholds in ascending order, each once',
        },
      ];
    }),
  );
  return [
    ...(first === undefined || second === undefined
      ? []
      : [
          {
            path: [second],
            onKey: true,
            message: ` sets both ${first} and ${second}, but a budget has one scope`,
            advice: `remove ${second}, or declare a budget for each`,
          },
        ]),
    ...(budget.tag === undefined || tags.length === 1
      ? []
      : [
          {
            path: ['tag'],
            onKey: true,
            message: `.tag names ${tags.length === 0 ? 'no tag' : tags.join(' and ')}, but a budget has one scope`,
            advice: 'name one tag, such as { environment: production }',
          },
        ]),
    ...(budget.anchor_day === undefined || budget.period === 'month'
      ? []
      : [
          {
            path: ['anchor_day'],
            onKey: true,
            message: `.anchor_day has no effect with period: ${budget.period}`,
            advice: 'remove it, or write period: month',
          },
        ]),
    ...unordered,
  ];
};

/** Budgets must name what is declared, and be in the currency of their account. */
export const budgetFaults = (
  part: Checked<Settings>,
  declared: Declared,
  kinds: readonly JobKind[],
): ConfigFault[] => {
  const { value: settings, source } = part;
  if (settings === undefined) return [];
  const { accounts, teams, budgets } = settings;
  const accountNames = Object.keys(accounts);
  const short = shortForms(settings);
  return Object.entries(budgets).flatMap(([name, budget]) => {
    const root: YamlPath = ['budgets', name];
    const at = (path: YamlPath, message: string, advice: string): ConfigFault => ({
      file: source.file,
      ...source.at([...root, ...path]),
      message,
      advice,
    });
    const onKey = (message: string, advice: string): ConfigFault => ({
      file: source.file,
      ...source.atKey(root),
      message: `budgets.${name} ${message}`,
      advice,
    });
    const faults = shapeFaults(budget).map(({ path, onKey: isKey, message, advice }): ConfigFault => ({
      file: source.file,
      ...(isKey ? source.atKey([...root, ...path]) : source.at([...root, ...path])),
      message: `budgets.${name}${message}`,
      advice,
    }));
    const taken = short.get(name);
    if (kinds.some(({ reservesName }) => reservesName?.(name) === true))
      faults.push(onKey('has a name that other alerts use', `rename it, for example to ${name}-budget`));
    if (taken !== undefined)
      faults.push(onKey(`has the name of the budget in ${taken}`, `rename it, or remove ${taken}`));
    if (budget.account === undefined && accountNames.length > 1)
      faults.push(onKey('does not set its account', `add account: one of ${accountNames.join(', ')}`));
    if (budget.account !== undefined && !Object.hasOwn(accounts, budget.account))
      faults.push(
        at(
          ['account'],
          `unknown account ${quoted(part, [...root, 'account'])}`,
          adviceForUnknown(budget.account, accountNames, 'account'),
        ),
      );
    if (budget.team !== undefined && !Object.hasOwn(teams, budget.team))
      faults.push(
        at(
          ['team'],
          `unknown team ${quoted(part, [...root, 'team'])}`,
          adviceForUnknown(budget.team, Object.keys(teams), 'team'),
        ),
      );
    for (const name of tagNames) {
      const value = Object.keys(budget.tag ?? {}).length === 1 ? budget.tag?.[name] : undefined;
      const fault =
        value === undefined ? undefined : tagFault(part, [...root, 'tag', name], name, value, settings);
      if (fault !== undefined) faults.push(fault);
    }
    const account = budget.account ?? accountNames[0] ?? '';
    const currency = Object.hasOwn(accounts, account) ? accounts[account]?.currency : undefined;
    if (budget.currency !== undefined && currency !== undefined && budget.currency !== currency)
      faults.push(
        at(
          ['currency'],
          `budgets.${name}.currency is ${budget.currency}, but the account ${account} has amounts in ${currency}`,
          `write the amount in ${currency}, and currency: ${currency} or no currency`,
        ),
      );
    const { routes } = declared;
    for (const [index, text] of budget.owner.entries())
      if (routes !== undefined && !text.includes('@') && isName(text) && !routes.has(text))
        faults.push(addresseeFault(part, [...root, 'owner', index], text, routes));
    return faults;
  });
};

/** A job that sends alerts needs a mail server or a route, and budgets that exist. */
export const alertFaults = (
  job: DeclaredJob,
  declared: Declared,
  settings: Settings | undefined,
): ConfigFault[] => {
  if (job.kind?.sendsAlerts !== true || job.part.value === undefined) return [];
  const faults: ConfigFault[] = [];
  if (declared.hasMail === false)
    faults.push({
      file: job.part.source.file,
      ...job.part.source.atKey(job.part.path),
      message: `job ${job.name} sends alerts, but tollkeeper.yaml has no mail server`,
      advice:
        'add mail: { smtp: "${SMTP_URL}", from: you@example.com, operators: [you@example.com] } to tollkeeper.yaml',
    });
  const named = job.part.value['budgets'];
  if (!Array.isArray(named) || settings === undefined) return faults;
  const names = [...Object.keys(settings.budgets), ...shortForms(settings).keys()];
  for (const [index, name] of named.entries())
    if (typeof name === 'string' && !names.includes(name)) {
      const path = [...job.part.path, 'budgets', index];
      faults.push({
        file: job.part.source.file,
        ...job.part.source.at(path),
        message: `unknown budget ${quoted(job.part, path)}`,
        advice: adviceForUnknown(name, names, 'budget'),
      });
    }
  return faults;
};
