import { fault, subtractMoney, sumMoney, type Money } from '../../core/index.ts';
import { formatMoney, localeOf } from '../../messages/index.ts';
import type { Period } from '../../reports/index.ts';
import { isKeyLeft, isModelLeft } from '../../warehouse/index.ts';
import {
  addressesOf,
  depsFor,
  noCostOwners,
  type AddressedTag,
  type CostOwners,
  type Filters,
  type Part,
} from '../cost-owners.ts';
import type { JobContext } from '../job-kind.ts';

/** Recipients that the data names: each value of a tag receives its own part. */
export const each = { each_owner: 'owner', each_cost_center: 'cost_center' } as const;

export const eachNames = Object.keys(each) as readonly (keyof typeof each)[];

export const isEach = (text: string): text is keyof typeof each => Object.hasOwn(each, text);

/** The setting that holds the addresses of the values of a tag. */
const settingOf = { owner: 'owners', cost_center: 'cost_centers' } as const;

/** A part of the account, and who receives its report. */
export type ReportPart = Pick<Part, 'team' | 'tagged'> & {
  /** Distinguishes the parts of one slot in the outbox and in summaries. */
  readonly label?: string;
  /** Distinguishes their folders in the archive. */
  readonly part?: string;
  readonly to: readonly string[];
  /** The setting that holds the recipients. */
  readonly recipients: string;
};

export type Recipients = {
  readonly team?: string | undefined;
  readonly each_team: boolean;
  readonly mail?:
    | { readonly to: readonly string[]; readonly remainder?: readonly string[] | undefined }
    | undefined;
  readonly post?: { readonly to: readonly string[] } | undefined;
};

const partsByTag = (
  tag: AddressedTag,
  { mail, post }: Recipients,
  costOwners: CostOwners,
): readonly ReportPart[] => {
  const { tags = [], operators } = costOwners;
  const values = [...new Set(tags.flatMap((rule) => rule.tags[tag] ?? []))];
  const addressed = values.filter((value) => addressesOf(costOwners, tag, value).length > 0);
  const others = values.filter((value) => !addressed.includes(value));
  return [
    ...addressed.map((value) => ({
      tagged: { tag, values: [value] },
      label: `${tag.replace('_', ' ')} ${value}`,
      part: `${tag.replace('_', '')}-${value}`,
      to: addressesOf(costOwners, tag, value),
      recipients: `${settingOf[tag]}.${value}.mail`,
    })),
    {
      tagged: { tag, values: [null, ...others] },
      label: `no ${tag.replace('_', ' ')}`,
      part: `no-${tag.replace('_', '')}`,
      // Routes have readers of the whole account, so none receives the part of an owner.
      to: [...(mail?.remainder ?? operators), ...(post?.to ?? [])],
      recipients: mail?.remainder === undefined ? 'mail.operators' : 'mail.remainder',
    },
  ];
};

/** @throws Fault `wrong-use` when there are no recipients. */
export const mailedParts = (
  settings: Recipients,
  { name, costOwners = noCostOwners }: Pick<JobContext, 'name' | 'costOwners'>,
): readonly ReportPart[] => {
  const to = [...(settings.mail?.to ?? []), ...(settings.post?.to ?? [])];
  const own = settings.mail === undefined ? 'post.to' : 'mail.to';
  const named = settings.mail?.to.find(isEach);
  if (named !== undefined) return partsByTag(each[named], settings, costOwners);
  if (!settings.each_team) {
    if (to.length === 0)
      throw fault('wrong-use', `job ${name} has no recipient for its report`, {
        advice: 'add mail: { to: [you@example.com] }',
      });
    return [{ to, team: settings.team, recipients: own }];
  }
  const [rest, restBy] = to.length > 0 ? [to, own] : [costOwners.operators, 'mail.operators'];
  return [
    ...costOwners.teams.map((team) => ({
      team: team.name,
      label: `team ${team.name}`,
      part: `team-${team.name}`,
      to: team.mail.length > 0 ? team.mail : rest,
      recipients: team.mail.length > 0 ? `teams.${team.name}.mail` : restBy,
    })),
    { team: null, label: 'unassigned', part: 'unassigned', to: rest, recipients: restBy },
  ];
};

/** The spend of each part in the period as the database has it now, as text; unknown while the unit of the amounts is not proven. */
export const totalsOf = async (
  parts: readonly ReportPart[],
  filters: Filters | undefined,
  { interval: { start, end } }: Period,
  { account, warehouse, zone, costOwners = noCostOwners, signal }: JobContext,
): Promise<readonly string[]> => {
  const request = {
    account: account.name,
    zone,
    bounds: [start, end],
    segments: new Set([0]),
    tokens: false,
  };
  const {
    sums,
    isProven,
    currency = account.currency,
  } = await warehouse.sums({ ...request, by: ['pair'] }, signal);
  const spendOf = (part: ReportPart): Money => {
    const { teams = [], tags = [], only = {} } = depsFor(costOwners, { ...part, filters }, currency);
    const own = sums.pair.filter(
      ({ model, key, service }) =>
        isModelLeft(model, only) && isKeyLeft(key, only, { teams, tags, serviceOf: () => service }),
    );
    return sumMoney(own.map(({ charge, refunds }) => subtractMoney(charge, refunds)));
  };
  return parts.map((part) =>
    isProven ? formatMoney(spendOf(part), currency, localeOf('en')) : 'an unknown amount',
  );
};

type FaultText = readonly [message: string, advice: string];

/** Faults of the configuration. */
export const remainderFault: FaultText = [
  'has no effect: it receives what each_owner or each_cost_center leave',
  'remove it, or set mail: { to: [each_owner] }',
];

export const aloneFault = (name: string): FaultText => [
  `has ${name} beside other recipients: each receives its own part only`,
  `write to: [${name}] alone, without team and each_team, and name those who receive the rest in remainder`,
];
