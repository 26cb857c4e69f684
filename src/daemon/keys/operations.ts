import { fault, formatSlot, money, shellWord, toSeconds } from '../../core/index.ts';
import type { Clock, Money } from '../../core/index.ts';
import { deadBy, plannedRotation } from '../../keys/index.ts';
import type { KeyService, KeyFields, RotationTerms } from '../../keys/index.ts';
import type { CommandHandlers } from '../../control/index.ts';
import type { KeyOutcome, ReconciledKeys } from './key-views.ts';
import type { KeyAccounts, OpenRotation } from './accounts.ts';
import { carryOn, expireNow, outcomeOf, startAndCarry } from './carry.ts';
import { findKey } from './find.ts';
import type { FoundKey } from './find.ts';
import { refuseSkipped } from './held.ts';
import { atOnce, createCompromiseOperations } from './compromise.ts';
import type { Run } from './compromise.ts';
import { momentToCome } from './moments.ts';
import type { KeyJob, KeyPlanner } from './planner.ts';

export type OrderDeps = {
  readonly clock: Clock;
  readonly zone: () => string;
  readonly keyService: (account: string) => KeyService;
  readonly accounts: KeyAccounts;
  readonly planner: () => KeyPlanner;
  /** @throws Fault `job-unknown` */
  readonly jobNamed: (name: string) => KeyJob;
};

const quotaOf = (quota: string): Pick<KeyFields, 'remainQuota' | 'unlimitedQuota'> => {
  if (quota === 'unlimited') return { remainQuota: money('0'), unlimitedQuota: true };
  const amount = ((): Money | undefined => {
    try {
      return money(quota);
    } catch {
      return undefined;
    }
  })();
  if (amount !== undefined && /[1-9]/.test(amount) && !amount.startsWith('-'))
    return { remainQuota: amount, unlimitedQuota: false };
  throw fault('wrong-use', `${JSON.stringify(quota)} is no quota`, {
    advice: 'give an amount in the unit of the gateway, such as 500, or unlimited',
  });
};

const withQuota = (terms: RotationTerms, quota: string | undefined): RotationTerms => {
  if (quota === undefined) return terms;
  const { remainQuota, unlimitedQuota } = quotaOf(quota);
  return { ...terms, quota: unlimitedQuota ? { kind: 'unlimited' } : { kind: 'fixed', amount: remainQuota } };
};

/** What keeps a job from rotating a key, and does not matter when the key leaked. */
const noMatterWhenCompromised: ReadonlySet<string> = new Set([
  'name-not-unique',
  'disabled',
  'expired',
  'exhausted',
  'age-unknown',
  'in-rotation',
  'revived',
  'retired',
  'unfinished',
]);

/** Orders of a person on one key or service. */
export const createKeyOperations = ({ clock, zone, keyService, accounts, planner, jobNamed }: OrderDeps) => {
  const resumeRotation = async ({ account, view }: OpenRotation, run: Run): Promise<KeyOutcome> =>
    outcomeOf(await carryOn({ account, keyService: keyService(account), ...run }, [view.id]));

  const { resumeCompromised, leftOf } = createCompromiseOperations({
    clock,
    keyService,
    accounts,
    resumeRotation,
  });

  const jobFor = ({ account, ...key }: FoundKey, named: string | undefined, now: boolean): KeyJob => {
    const at = clock.now();
    const name =
      named ?? (now ? planner().delivers(account, key, at) : planner().coverOf(account, key, at)?.job);
    if (name === undefined && now)
      throw fault(
        'wrong-use',
        `no rotate-keys job delivers ${key.key.name}, so that nothing can take its place`,
        {
          advice: `\`tollkeeper keys expire id:${key.key.id}\` ends it at once, with nothing in its place; to replace it, let a rotate-keys job with a sink of its own select it under \`keys\` first`,
        },
      );
    if (name === undefined)
      throw fault(
        'wrong-use',
        `no rotate-keys job covers ${key.key.name}, so that nothing says where its successor goes`,
        { advice: 'name the job whose sinks and terms are meant with --job' },
      );
    const job = jobNamed(name);
    if (job.account === account) return job;
    throw fault(
      'wrong-use',
      `job ${name} is for account ${job.account}, and ${key.key.name} is a key of ${account}`,
      {
        advice: `name a rotate-keys job of ${account}`,
      },
    );
  };

  /** A key is put where no other service has its own. */
  const refuseOverwriting = (job: KeyJob, service: string, keys: readonly FoundKey[]): void => {
    const other = planner().overwrites(job.name, service, { at: clock.now(), keys });
    if (other === undefined) return;
    throw fault(
      'wrong-use',
      `job ${job.name} cannot deliver a key of ${service}: it would overwrite the key of ${other}, which has the same place`,
      {
        advice: `name a job that has a place of its own for ${service}, or declare one, such as with {service} in the path or name under deliver`,
      },
    );
  };

  /** Nothing would ever rotate a key that its job does not select. */
  const refuseLeftOut = (job: KeyJob, service: string, group: string): void => {
    const at = clock.now();
    const out = planner().leavesOut(job.name, { service, group, at });
    if (out === undefined) return;
    throw fault(
      'wrong-use',
      `job ${job.name} does not select ${out.name}, so that nothing would ever rotate it: its keys are those of ${out.selection}`,
      {
        advice: `give the service a name that fits, name another job, or widen \`keys\` of the job ${job.name}`,
      },
    );
  };

  /** A successor cannot be given a part of nothing. */
  const refuseNothingLeft = ({ key, service }: FoundKey, { quota }: RotationTerms): void => {
    if ((quota.kind !== 'carry' && quota.kind !== 'split') || deadBy(key, clock.now()) !== 'exhausted')
      return;
    throw fault(
      'wrong-use',
      `${key.name} (id ${key.id}) has no quota left, and its job ${quota.kind === 'carry' ? 'carries it over to' : 'splits it with'} the new key`,
      {
        advice: `say what the new key may spend: \`tollkeeper keys rotate ${shellWord(service)} --quota AMOUNT\`, or --quota unlimited`,
      },
    );
  };

  /** Says that the leaked key is deleted, and since when: nobody is to wonder whether it still works. */
  const withDeleted = async (
    outcome: KeyOutcome,
    { account, service, key }: FoundKey,
  ): Promise<KeyOutcome> => {
    const steps = await keyService(account).history(service);
    const deleted = steps.findLast((event) => event.what === 'deleted' && event.keyId === key.id);
    if (deleted === undefined) return outcome;
    const at = formatSlot(deleted.at, zone());
    const note = `${key.name} (id ${key.id}) is deleted; calls with it are refused since ${at}, ten minutes later at the latest where the gateway caches keys`;
    return { ...outcome, notes: [note, ...outcome.notes] };
  };

  return {
    'keys/rotate': async (
      { key: named, job: jobName, now, quota, who, account },
      { progress, signal },
    ): Promise<KeyOutcome> => {
      const run = { progress, signal };
      const open = await accounts.openOf(named, account);
      if (open !== undefined && !now) return resumeRotation(open, run);
      const all = await accounts.allKeys(account, signal);
      const found = findKey(named, all, clock.now());
      const mine = await accounts.openOf(found.service, found.account);
      const taken =
        mine === undefined
          ? undefined
          : await (now ? resumeCompromised(mine, named, found, all, who, run) : resumeRotation(mine, run));
      if (taken !== undefined) return now ? withDeleted(taken, found) : taken;
      const job = jobFor(found, jobName, now);
      const terms = withQuota(planner().termsOf(job.name), quota);
      const { service, key } = found;
      refuseNothingLeft(found, terms);
      const keys = all.filter((one) => one.account === found.account);
      const obstacle = planner().obstacleOf(job.name, found, { at: clock.now(), keys });
      // A quota that is given makes up for one that is used up.
      const isMadeUp = obstacle?.reason === 'exhausted' && quota !== undefined;
      if (obstacle !== undefined && !isMadeUp && !(now && noMatterWhenCompromised.has(obstacle.reason)))
        throw fault('wrong-use', `${key.name} (id ${key.id}) cannot be rotated: ${obstacle.words}`, {
          advice: noMatterWhenCompromised.has(obstacle.reason)
            ? `\`tollkeeper keys rotate ${shellWord(service)} --now\` gives the service another key, where nothing is left to be spared`
            : '`tollkeeper keys list` shows its line; `tollkeeper keys expire` ends a key that has no use',
        });
      refuseOverwriting(job, service, keys);
      const planned = plannedRotation(found, now ? 'leak' : 'hand', now ? atOnce(terms) : terms);
      const carry = { account: found.account, keyService: keyService(found.account), ...run };
      const outcome = await startAndCarry(carry, [planned], who);
      if (!now) return outcome;
      const told = await withDeleted(outcome, found);
      return outcome.good
        ? { ...told, notes: [...told.notes, ...(await leftOf(found, outcome, signal))] }
        : told;
    },
    'keys/expire': async (
      { key: named, at, who, account, evenIfCurrent = false },
      { signal },
    ): Promise<KeyOutcome> => {
      const now = clock.now();
      const end = at === undefined ? toSeconds(now) : momentToCome(at, zone(), now);
      const keys = await accounts.allKeys(account, signal);
      const found = findKey(named, keys, now);
      const { service, generation, key } = found;
      if (!evenIfCurrent) {
        const job = planner().delivers(found.account, found, now);
        const history = () => keyService(found.account).history(service);
        await refuseSkipped(found, { keys, now, job, history });
      }
      const action = { kind: 'expire', at: end } as const;
      const asMeant = evenIfCurrent ? { evenIfCurrent } : {};
      const changes = await expireNow(
        { account: found.account, keyService: keyService(found.account), signal },
        [{ keyId: key.id, generation, name: key.name, service, action, ...asMeant }],
        who,
      );
      const isOver = evenIfCurrent && end <= toSeconds(clock.now());
      const word = shellWord(service);
      return outcomeOf(
        [],
        changes,
        isOver
          ? [
              `whoever has only ${key.name} is refused from now on: \`tollkeeper keys rotate ${word} --now\` delivers another key, \`tollkeeper keys expire id:${key.id} --at …\` lets this one live on until then`,
            ]
          : [],
      );
    },
    'keys/create': async (
      { service, job: named, quota, expires, group, who, account },
      { progress, signal },
    ): Promise<KeyOutcome> => {
      const job = jobNamed(named);
      if (account !== undefined && account !== job.account)
        throw fault('wrong-use', `job ${named} is for account ${job.account}`, {
          advice: `leave --account out, or name a job of ${account}`,
        });
      const terms = planner().termsOf(named);
      const problem = planner().nameProblem(named, service);
      if (problem !== undefined)
        throw fault('wrong-use', `${service} cannot be the name of a service: ${problem}`, {
          advice: 'give it a short name of letters, digits and hyphens',
        });
      const fresh: KeyFields = {
        ...quotaOf(quota),
        expiredTime: expires === undefined ? 'never' : momentToCome(expires, zone(), clock.now()),
        group: group ?? '',
      };
      const run = { account: job.account, keyService: keyService(job.account), progress, signal };
      const open = await accounts.openOf(service, job.account);
      if (open !== undefined) return resumeRotation(open, run);
      const keys = await accounts.keysOf(job.account, signal);
      const there = keys.filter((key) => key.service === service && key.retained === undefined);
      if (there.length > 0)
        throw fault('wrong-use', `${service} has ${there.map(({ key }) => key.name).join(', ')} already`, {
          advice: `\`tollkeeper keys rotate ${service}\` gives it a successor`,
        });
      refuseLeftOut(job, service, group ?? '');
      refuseOverwriting(job, service, keys);
      return startAndCarry(run, [{ service, why: 'new', terms, fresh }], who);
    },
    'keys/adopt': async (
      { key: named, service, generation, who, account, move = false },
      { signal },
    ): Promise<{ readonly said: string }> => {
      const found = findKey(named, await accounts.allKeys(account, signal), clock.now());
      const placed = { keyId: found.key.id, service, generation, move };
      await keyService(found.account).adopt(placed, who, signal);
      return { said: `${found.key.name} (id ${found.key.id}) is generation ${generation} of ${service}` };
    },
    'keys/confirm': async ({ service, fingerprint, who, account }): Promise<{ readonly said: string }> => {
      const name = await accounts.ofService(service, account);
      return { said: await keyService(name).confirm(service, fingerprint, who) };
    },
    'keys/resume': async ({ service, who, account }, { progress, signal }): Promise<KeyOutcome> => {
      const name = await accounts.ofService(service, account);
      const said = await keyService(name).resume(service, who);
      const open = await accounts.openOf(service, name);
      const carry = { account: name, keyService: keyService(name), progress, signal };
      const states = open === undefined ? [] : await carryOn(carry, [open.view.id]);
      return outcomeOf(states, [], [said]);
    },
    'keys/reconcile': async ({ service, who, account, apply }, { signal }): Promise<ReconciledKeys> => {
      const found: ReconciledKeys[number][] = [];
      let isKnown = service === undefined;
      for (const name of accounts.named(account)) {
        const options = { apply, ...(service === undefined ? {} : { service }) };
        const reconciled = await keyService(name).reconcile(options, who, signal);
        found.push(...reconciled.map((one) => ({ account: name, ...one })));
        isKnown ||= (await keyService(name).history(service)).length > 0;
      }
      if (!isKnown)
        throw fault('wrong-use', `the journal has no step on a key of ${service ?? ''}`, {
          advice: '`tollkeeper keys list` shows the services',
        });
      return found;
    },
    'keys/give-up': async ({ service, who, account }): Promise<{ readonly said: string }> => {
      const name = await accounts.ofService(service, account);
      return { said: await keyService(name).giveUp(service, who) };
    },
  } satisfies Partial<CommandHandlers>;
};
