import {
  compareMoney,
  fault,
  formatMoment,
  shellWord,
  toSeconds,
  unixMillis,
  unixSeconds,
  zero,
  type UnixMillis,
} from '../../core/index.ts';
import { tooManyText } from '../events/notices.ts';
import type { ApiKey } from '../../gateway/index.ts';
import { creationTime } from '../plan/key-state.ts';
import type { KeyEvent } from '../events/key-event.ts';
import type { KeyFields } from '../model/event-fields.ts';
import { liveOf } from '../model/lineage.ts';
import { halfOf } from './quota.ts';
import { isMissing } from './seek.ts';
import { consumerOf, type OfAttempt, type Rest, type Step, type View } from './step.ts';
import {
  isKeyName,
  parseKeyName,
  printKeyName,
  randomSuffix,
  readTemplate,
  type NameTemplate,
} from '../plan/key-names.ts';
import type { Attempt, Rotation } from '../model/rotation.ts';
import type { RotationTerms } from '../model/terms.ts';
import { created, createLost, type CreatedKey } from '../cycle/creation.ts';
import { note, plaintextOf, type Cycle } from '../cycle/cycle.ts';
import { gatewayNow } from '../cycle/gateway-time.ts';
import { observeSinks } from '../cycle/up-to-date.ts';
import { unusableSink } from '../plan/usable-sinks.ts';

/** Limits the orphans that a rotation retains, so that a process that crashes repeatedly creates no further keys. */
const maxRetained = 3;

/** A key that a late list does not show yet counts too. */
const isKept = (attempt: Attempt, view: View): boolean =>
  attempt.state === 'retained' &&
  attempt.keyId !== undefined &&
  !isMissing(attempt, view) &&
  !view.isDead(attempt.keyId);

const tooMany = ({ service }: Rotation, retained: readonly Attempt[]): Rest => {
  const names = retained.map(({ name }) => name);
  return {
    rest: tooManyText(names),
    pending: {
      about: { event: 'too-many-keys', names },
      key: `the rotation of ${service} cannot go on`,
      since: retained.at(-1)?.askedAt ?? unixMillis(0),
      atOnce: true,
    },
  };
};

const blocked = (message: string, advice: string): never => {
  throw fault('rotation-blocked', message, { advice });
};

const templateOf = (text: string): NameTemplate => {
  const template = readTemplate(text);
  return 'problem' in template
    ? blocked(`the template ${text} ${template.problem}`, 'fix `name` of the job')
    : template;
};

/** A generation that no key of the service ever had, and a name that no listed key has. */
const nextName = (cycle: Cycle, { service, terms }: Rotation): { generation: number; name: string } => {
  const { journal, account, random } = cycle.deps;
  const template = templateOf(terms.template);
  const listed = new Set([...cycle.keys().values()].map(({ name }) => name));
  const seen = [...listed].flatMap((name) => {
    const place = parseKeyName(template, name);
    return place?.service === service ? [place.generation] : [];
  });
  const inLine = liveOf(journal.state(account).lineage, service).map(({ generation }) => generation);
  let generation = Math.max(0, journal.state(account).highest.get(service) ?? 0, ...seen, ...inLine) + 1;
  const suffix = randomSuffix(random);
  let name = printKeyName(template, { service, generation, suffix });
  while (listed.has(name)) {
    generation += 1;
    name = printKeyName(template, { service, generation, suffix });
  }
  if (!isKeyName(name))
    blocked(
      `the name ${name} exceeds 50 bytes, the limit of a key name`,
      'shorten the template `name` of the job, or the service name',
    );
  return { generation, name };
};

const remainOf = ({ terms }: Rotation, old: ApiKey): Pick<KeyFields, 'remainQuota' | 'unlimitedQuota'> => {
  const { quota } = terms;
  if (quota.kind === 'unlimited') return { remainQuota: zero, unlimitedQuota: true };
  if (quota.kind === 'fixed') return { remainQuota: quota.amount, unlimitedQuota: false };
  if (old.unlimitedQuota) return { remainQuota: zero, unlimitedQuota: true };
  const remainQuota = quota.kind === 'carry' ? old.remainQuota : halfOf(old.remainQuota);
  if (compareMoney(remainQuota, zero) <= 0)
    return blocked(
      `the key ${old.name} has no quota left for a successor`,
      'add quota to it; or set `quota` of the job to a fixed amount or to unlimited, give up this rotation and start another',
    );
  return { remainQuota, unlimitedQuota: false };
};

/** The expiry that the key was created with: an earlier one that Tollkeeper set to end the key is not inherited. */
const givenEnd = (history: readonly KeyEvent[], { id, expiredTime }: ApiKey): KeyFields['expiredTime'] =>
  history
    .flatMap((event) => (event.what === 'expiring' && event.keyId === id ? [event] : []))
    .reduceRight<KeyFields['expiredTime']>(
      (end, { expiredTime: set, before = set }) =>
        end === set && (before === 'never' || set <= before) ? before : end,
      expiredTime,
    );

/** The shortest life of a successor, in seconds. */
const shortestLife = 3600;

/** The successor lives as long as the old key; if its creation time is unknown, it inherits the expiry. @throws Fault rotation-blocked if too soon */
const expiryOf = (
  old: ApiKey,
  end: KeyFields['expiredTime'],
  { overlap }: RotationTerms,
  { now, zone }: { readonly now: UnixMillis; readonly zone: string },
): KeyFields['expiredTime'] => {
  if (end === 'never') return 'never';
  const seconds = toSeconds(now);
  const created = creationTime(old);
  const until = created !== undefined && end > created ? unixSeconds(seconds + end - created) : end;
  return until - seconds >= Math.max(shortestLife, overlap / 1000)
    ? until
    : blocked(
        `a successor of ${old.name} would inherit its lifetime and expire too soon, at ${formatMoment(until, zone)}`,
        'set a later expiry of the old key at the gateway or with `tollkeeper keys expire … --at`, or create another key with `tollkeeper keys create`',
      );
};

const fieldsOf = async (cycle: Cycle, rotation: Rotation): Promise<KeyFields> => {
  if (rotation.fresh !== undefined) return rotation.fresh;
  const id = rotation.old?.keyId;
  const old = id === undefined ? undefined : cycle.keys().get(id);
  if (old === undefined)
    return blocked(
      `the key ${rotation.old?.name ?? rotation.service} no longer exists, so the quota and expiry of its successor are unknown`,
      `give up this rotation, then create a key with \`tollkeeper keys create ${shellWord(rotation.service)}\``,
    );
  const { journal, account } = cycle.deps;
  const end = givenEnd(await journal.history({ account, service: rotation.service }), old);
  return {
    ...remainOf(rotation, old),
    // Creation time and expiry of the old key are both on the gateway's clock.
    expiredTime: expiryOf(old, end, rotation.terms, { now: gatewayNow(cycle), zone: cycle.deps.zone }),
    group: old.group ?? '',
  };
};

/**
 * Creates the next key of the service under a unique name; its plaintext exists in memory only. After any failure the key may exist: the recorded
 * steps make a later cycle look for it.
 */
export const create: Step<Pick<OfAttempt, 'rotation' | 'view'>> = {
  name: 'create',
  due: ({ rotation, view }) => {
    const retained = rotation.attempts.filter((one) => isKept(one, view));
    if (retained.length >= maxRetained) return tooMany(rotation, retained);
    const other = view.unsettledElsewhere();
    if (other !== undefined)
      return {
        rest: `its successor is created once the new key of ${other} is being delivered or is deleted`,
        blocked: true,
      };
    return view.hasRequested ? { rest: 'the next cycle creates another key' } : true;
  },
  run: async (work, { rotation }) => {
    const { cycle } = work;
    const { gateway, plaintexts } = cycle.deps;
    cycle.made.add(rotation.id);
    const { sinks } = consumerOf(work, rotation);
    const unusable = await unusableSink(sinks, cycle.signal);
    if (unusable !== undefined) throw unusable;
    await observeSinks(cycle, rotation, sinks);
    const spec = await fieldsOf(cycle, rotation);
    const asked = { ...nextName(cycle, rotation), spec };
    const { generation, name } = asked;
    await note(cycle, rotation, { what: 'creating', ...asked });
    let made: CreatedKey;
    try {
      made = await gateway.create(name, spec, cycle.signal);
    } catch (error) {
      await note(cycle, rotation, createLost(asked, error));
      throw error;
    }
    plaintexts.set(plaintextOf(rotation, { generation }), made.key);
    cycle.noteMade({
      ...spec,
      id: made.id,
      name,
      keyMask: undefined,
      status: undefined,
      // Unknown: the gateway stamps it by its own clock.
      createdTime: undefined,
      rest: {},
    });
    await note(cycle, rotation, created(asked, made));
  },
};
