import {
  countText,
  exactSpanOf,
  formatMoment,
  hoursText,
  shellWord,
  toSeconds,
  type Interval,
  type UnixSeconds,
} from '../../core/index.ts';
import type { UnknownThing } from '../model/alert.ts';
import type {
  ClockProblem,
  HoldFacts,
  KeyUse,
  NotedUse,
  RetainFacts,
  RetainReason,
} from '../model/event-fields.ts';
import type { DeadKey } from '../model/service-types.ts';

/** `2 hours`, `90 minutes`. */
const lengthText = (millis: number): string => {
  const { count, unit } = exactSpanOf(millis);
  return countText(count, unit);
};

export const undeclaredText = (places: readonly string[]): string =>
  `${places.join(' and ')} may hold it, and no job declares ${places.length === 1 ? 'this place' : 'these places'} any more`;

const callsText = (calls: number): string => `${calls} ${calls === 1 ? 'call' : 'calls'}`;

/** The most used models suffice to find the caller. */
const modelsNamed = 5;

/** `names`: those that were called, if others than its own were. */
export const usedText = (name: string, names: readonly string[], use: KeyUse, zone: string): string => {
  const under =
    names.length === 0 ? '' : ` under its ${names.length === 1 ? 'name' : 'names'} ${names.join(' and ')}`;
  const last = use.lastCall === undefined ? '' : `, the last at ${formatMoment(use.lastCall, zone)}`;
  const models = use.models.slice(0, modelsNamed).map(({ model, calls }) => `${model} (${calls})`);
  const more = use.models.length - models.length;
  const listed = [...models, ...(more > 0 ? [countText(more, 'more model')] : [])].join(', ');
  return `${name} is still in use${under}: ${callsText(use.calls)}${last}${listed === '' ? '' : `, of ${listed}`}`;
};

type OldUse = NotedUse & { readonly name: string };

/** The use of an old key beside its successor. */
export const oldUseText = ({ name, from, to, use, hours }: OldUse, zone: string): string =>
  `${usedText(name, [], use, zone)}, from ${formatMoment(from, zone)} to ${formatMoment(to, zone)} in the hours ${hoursText(hours, zone)}`;

export const oldUnusedText = (
  {
    name,
    from,
    to,
    lastCall,
  }: Pick<OldUse, 'name' | 'from' | 'to'> & { readonly lastCall?: UnixSeconds | undefined },
  zone: string,
): string =>
  `no call by ${name} from ${formatMoment(from, zone)} to ${formatMoment(to, zone)}${lastCall === undefined ? '' : `; the last one was at ${formatMoment(lastCall, zone)}`}`;

/** Why the clocks do not prove that a key is unused. */
export const clockText = (problem: ClockProblem, zone: string): string => {
  const resumes = 'deletions resume automatically';
  const synchronize = `synchronize both clocks (NTP); ${resumes}`;
  switch (problem.kind) {
    case 'contradicted':
      return problem.by > 0
        ? `the Date header of the gateway contradicts the creation times of its keys by ${lengthText(problem.by)}, and the stored call log does not show yet which of them stamps calls. No key is deleted until the call log contains the first call with the newest key; ${resumes}`
        : `the Date header of the gateway contradicts the creation times of its keys, or did before it jumped, and the stored call log does not show which of them stamps calls. No key is deleted until the call log contains the first call with a newer key, or the header agrees with the clock of this host; ${resumes}`;
    case 'log-behind':
      return `the clock of the gateway's call log is at least ${lengthText(problem.by)} behind: the first call with the new key is stamped that long before the key was created. No key is deleted until the clock is correct; ${synchronize}`;
    default:
      return `the clock of the gateway is ${lengthText(Math.abs(problem.offset))} ${problem.offset < 0 ? 'behind' : 'ahead of'} the clock of this host (measured ${formatMoment(toSeconds(problem.measuredAt), zone)}). No key is deleted until they agree; ${synchronize}`;
  }
};

/** What a sink has instead of the key that was delivered to it. */
export const insteadText = (other: 'another' | 'empty'): string =>
  other === 'another' ? 'it holds another key' : 'it is empty';

type Hold = { readonly name: string; readonly service: string; readonly why: HoldFacts };

/** Why an old key is retained. */
export const holdText = ({ name, service, why }: Hold, zone: string): string => {
  switch (why.reason) {
    case 'used':
      return why.quota === undefined
        ? usedText(name, why.names, why.use, zone)
        : `${name} is still in use: its remaining quota fell from ${why.quota.from} to ${why.quota.to} since its idle time was proven`;
    case 'successor-unused':
      return `${why.successor} has made no call since the cutover: it is unknown whether a consumer uses it`;
    case 'successor-dead':
      return `${why.successor}, which every sink holds, is ${why.state}: fix it at the gateway, or deliver another key with \`tollkeeper keys give-up\` and \`tollkeeper keys rotate\`; until then only ${name} works`;
    case 'log-incomplete':
      return `the call log is incomplete: ${why.why}. It must reach up to ${lengthText(why.lag)} before now for this \`quiet\`: schedule \`pull-logs\` every ${lengthText(why.lag / 2)} or more often`;
    case 'name-shared':
      return why.shared === undefined
        ? `other keys have had a name of ${name} or ${why.successor} since the cutover (ids ${why.ids.join(', ')}): calls in the log cannot be attributed`
        : `${name} and ${why.successor} have both had the name ${why.shared} since the cutover: calls in the log cannot be attributed`;
    case 'clock-skew':
      return clockText(why.problem, zone);
    case 'place-undeclared':
      return `${name} is retained: ${undeclaredText(why.places)}; declare ${why.places.length === 1 ? 'it' : 'them'} under \`deliver\` again, or confirm with \`tollkeeper keys give-up ${shellWord(service)} --forget-places\` that no consumer there uses the key`;
    default:
      return `${name} is retained: ${why.found.map(({ sink, other }) => `${sink} no longer holds ${why.successor}: ${insteadText(other)}`).join('; ')}. Its expiry is put back until every sink holds ${why.successor} again`;
  }
};

const retainTexts: Readonly<
  Record<RetainReason, (facts: RetainFacts, name: string, zone: string) => string>
> = {
  ambiguous: ({ ids = [] }, name) =>
    `${ids.length} keys are named ${name} (ids ${ids.join(', ')}), and it is unknown which of them Tollkeeper requested`,
  'not-ours': ({ why }, name) =>
    why === undefined
      ? `the journal has no request for ${name}`
      : `the key ${name} is not the one that Tollkeeper requested: ${why}`,
  'sinks-undeclared': () => 'no job declares the sinks that it was created for',
  'sink-holds-it': ({ sink = '' }, name) => `${sink} holds ${name}`,
  'sink-unreadable': ({ sink = '', why = '' }) => `${sink} cannot be read back and may hold it: ${why}`,
  'sink-unknown': ({ sink = '' }, name) =>
    `${sink} holds a key that the journal does not know, which may be ${name}`,
  'sink-failed': ({ sink = '', why = '' }) => `${sink} could not be read: ${why}`,
  used: ({ calls = 0 }) => `the call log shows ${calls === 1 ? 'a call' : `${calls} calls`} by it`,
  'log-incomplete': ({ until, why }, _, zone) =>
    `its use is unknown until the call log is complete up to ${until === undefined ? '' : formatMoment(until, zone)}${why === undefined ? '' : `: ${why}`}`,
};

/** What an event records of a hold: its facts, and their sentence, which is all that earlier versions know. */
export const holdRecord = (hold: Hold, zone: string) => ({
  reason: hold.why.reason,
  why: hold.why,
  words: holdText(hold, zone),
});

type Retained = { readonly name: string; readonly reason: RetainReason; readonly facts: RetainFacts };

/** Why an orphan is not deleted. */
export const retainText = ({ name, reason, facts }: Retained, zone: string): string =>
  retainTexts[reason](facts, name, zone);

/** `file:/secrets/billing.env#KEY holds billing.g6 (id 41), which is deleted: calls with it are refused` */
export const deadKeyText = ({ place, name, keyId, state }: Omit<DeadKey, 'since' | 'service'>): string =>
  `${place} holds ${name} (id ${keyId}), which is ${state}: calls with it are refused`;

export const differenceText = (difference: UnknownThing): string =>
  difference.kind === 'key'
    ? `the gateway lists ${difference.name} (id ${difference.keyId}), and the journal knows generations up to ${difference.highest}`
    : `${difference.sink} holds a key that the journal never delivered there (SHA-256 ${difference.fingerprint.slice(0, 12)}…)`;

/** Differences as the journal states them. */
export const outdatedText = (differences: readonly string[]): string =>
  `the journal is older than the current state: ${differences.join('; ')}`;

export const unconfirmedText = ({ name, place }: { readonly name: string; readonly place: string }): string =>
  `${name} is in ${place} and must be confirmed with \`tollkeeper keys confirm\``;

export const tooManyText = (names: readonly string[]): string =>
  `${names.join(', ')} were created by this rotation and may be in use; no further key is created until one of them is gone: end one with \`tollkeeper keys expire\``;

export const noSinkText = (job: string, service: string): string =>
  `job ${job} declares no sink for the key; declare one under \`deliver\`, or end the rotation with \`tollkeeper keys give-up ${shellWord(service)}\``;

export const undeductedText = (why: string): string =>
  `the spend of the compromised key could not be deducted: ${why}`;

/** What an event records of an orphan that is retained: its facts, and their sentence, which is all that earlier versions know. */
export const retainRecord = (retained: Retained, zone: string) => ({
  reason: retained.reason,
  facts: retained.facts,
  words: retainText(retained, zone),
});

type Quiet = {
  readonly oldName: string;
  readonly otherNames: readonly string[];
  readonly newName: string;
  /** By the new key. */
  readonly calls: number;
  readonly range: Interval<UnixSeconds>;
};

/** The evidence that an old key is unused. */
export const quietEvidence = (
  { oldName, otherNames, newName, calls, range }: Quiet,
  zone: string,
): string => {
  const taken =
    calls > 0
      ? `${callsText(calls)} by ${newName} since the cutover`
      : `no call by ${newName} either, and max_overlap has passed`;
  const also = otherNames.length === 0 ? '' : ` (also ${otherNames.join(', ')})`;
  return `no call by ${oldName}${also} from ${formatMoment(range.start, zone)} to ${formatMoment(range.end, zone)} in a log that is complete for this time; ${taken}`;
};
