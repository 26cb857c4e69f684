import { createHash } from 'node:crypto';
import { z } from 'zod';
import { fault, issueText, money, unixMillis, unixSeconds, type UnixMillis } from '../../core/index.ts';
import type { KeySurvey, PlannedExpiry, PlannedRotation } from '../model/service-types.ts';
import { rotationTerms } from '../model/terms.ts';
import { expiryClocks } from './expiry-policy.ts';
import {
  changesSince,
  fingerprintOf,
  keyState,
  planState,
  type Concerned,
  type PlanState,
} from './plan-state.ts';

/** The content of a plan file, valid only for its job and account. */
export type KeyPlan = {
  readonly at: UnixMillis;
  readonly account: string;
  readonly job: string;
  readonly rotations: readonly PlannedRotation[];
  readonly expiries: readonly PlannedExpiry[];
  readonly notes: readonly string[];
};

export type FiledKeyPlan = KeyPlan & { readonly state: PlanState };

const format = 'tollkeeper key plan';
const version = 1;

const seconds = z.int().transform((value) => unixSeconds(value));
const decimal = z.string().transform((text) => money(text));

const rotation = z.strictObject({
  service: z.string(),
  why: z.enum(['age', 'split', 'hand', 'leak', 'new']),
  terms: rotationTerms,
  old: z
    .strictObject({
      keyId: z.int(),
      generation: z.int(),
      name: z.string(),
      remainQuota: decimal,
      unlimitedQuota: z.boolean(),
      born: z
        .int()
        .transform((value) => unixMillis(value))
        .optional(),
    })
    .optional(),
  fresh: z
    .strictObject({
      remainQuota: decimal,
      unlimitedQuota: z.boolean(),
      expiredTime: z.union([z.literal('never'), seconds]),
      group: z.string(),
    })
    .optional(),
});

const notice = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('expires'), before: z.number(), at: seconds }),
  z.strictObject({
    kind: z.literal('ends'),
    job: z.string(),
    clock: z.enum(expiryClocks),
    began: z
      .int()
      .transform((value) => unixMillis(value))
      .optional(),
    isLonger: z.boolean(),
    expires: z.number().optional(),
    deletes: z.number().optional(),
    evenIfUsed: z.boolean(),
  }),
]);

const expiry = z.strictObject({
  keyId: z.int(),
  generation: z.int(),
  name: z.string(),
  service: z.string(),
  action: z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('warn'), stage: z.string(), notice: notice.optional() }),
    z.strictObject({ kind: z.literal('expire'), at: seconds }),
    z.strictObject({ kind: z.literal('delete') }),
  ]),
  evenIfCurrent: z.boolean().optional(),
  ifUnused: z.boolean().optional(),
});

const content = {
  at: z.int().transform((value) => unixMillis(value)),
  account: z.string(),
  job: z.string(),
  rotations: z.array(rotation),
  expiries: z.array(expiry),
  notes: z.array(z.string()),
  state: z.strictObject({ keys: z.array(keyState), fingerprint: z.string() }),
};

const outline = z.looseObject({ format: z.literal(format), version: z.int() });
const whole = z.strictObject({
  format: z.literal(format),
  version: z.literal(version),
  ...content,
  sha256: z.string(),
});

const digestOf = (plan: FiledKeyPlan): string => {
  const { at, account, job, rotations, expiries, notes, state } = plan;
  const ordered = whole
    .omit({ sha256: true })
    .parse({ format, version, at, account, job, rotations, expiries, notes, state });
  return createHash('sha256').update(JSON.stringify(ordered)).digest('hex');
};

const concernedBy = ({ rotations, expiries }: Pick<KeyPlan, 'rotations' | 'expiries'>): Concerned => ({
  services: new Set([...rotations, ...expiries].map(({ service }) => service)),
  ids: new Set([
    ...rotations.flatMap(({ old }) => (old === undefined ? [] : [old.keyId])),
    ...expiries.map(({ keyId }) => keyId),
  ]),
});

/** The plan as JSON text, with the state of its keys; contains no secret. */
export const printPlanFile = (plan: KeyPlan, survey: KeySurvey): string => {
  const filed = { ...plan, state: planState(survey, concernedBy(plan)) };
  return `${JSON.stringify({ format, version, ...filed, sha256: digestOf(filed) }, undefined, 2)}\n`;
};

const notAPlan = (what: string): Error =>
  fault('wrong-use', `the file ${what}`, {
    advice: 'create it with `tollkeeper keys plan`, and apply it unchanged',
  });

/** Parses the text of a plan file. @throws Fault `wrong-use` when it is no plan, has another version, or was modified */
export const parsePlanFile = (text: string): FiledKeyPlan => {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw notAPlan('is not JSON and therefore not a key plan');
  }
  const head = outline.safeParse(value);
  if (!head.success) throw notAPlan('does not contain a key plan');
  if (head.data.version !== version)
    throw notAPlan(
      `is a key plan of version ${head.data.version}, and this program reads version ${version}`,
    );
  const parsed = whole.safeParse(value);
  if (!parsed.success) {
    const [problem = ''] = parsed.error.issues.map(issueText);
    throw notAPlan(`is not a complete key plan: ${problem}`);
  }
  const { format: _format, version: _version, sha256, ...plan } = parsed.data;
  const filed = plan as FiledKeyPlan;
  if (digestOf(filed) !== sha256 || fingerprintOf(plan.state.keys) !== plan.state.fingerprint)
    throw notAPlan('was modified after it was created');
  return filed;
};

/** What changed since the plan was made, one line each; empty if the plan may be applied. */
export const isStale = (plan: FiledKeyPlan, survey: KeySurvey): readonly string[] =>
  changesSince(plan.state, concernedBy(plan), survey);

/** The plan with the current quota of each old key: calls change it constantly, and the successor inherits the current value. */
export const withQuotaNow = (plan: FiledKeyPlan, survey: KeySurvey): FiledKeyPlan => {
  const keys = new Map(survey.keys.map(({ key }) => [key.id, key]));
  return {
    ...plan,
    rotations: plan.rotations.map((planned) => {
      const { old } = planned;
      const key = old === undefined ? undefined : keys.get(old.keyId);
      return old === undefined || key === undefined
        ? planned
        : { ...planned, old: { ...old, remainQuota: key.remainQuota, unlimitedQuota: key.unlimitedQuota } };
    }),
  };
};
