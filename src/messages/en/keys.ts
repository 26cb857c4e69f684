import { countText, durationText, hoursText, startOfMinute, toMillis } from '../../core/index.ts';
import {
  deadKeyText,
  holdText,
  noSinkText,
  outdatedText,
  retainText,
  tooManyText,
  unconfirmedText,
  undeductedText,
  type KeyMatter,
  type OldKeyEnd,
} from '../../keys/index.ts';
import type { KeyFacts, KeyTexts } from '../key-texts.ts';

const heldTitle = ({ name, why, escalated, isTimed }: Extract<KeyMatter, { event: 'held' }>): string => {
  if (escalated === true) return `the old key ${name} cannot be retired, and max_overlap has passed`;
  if (why.reason === 'clock-skew') return 'clock skew blocks the deletion of old keys';
  if (why.reason === 'place-undeclared' || why.reason === 'sink-holds-it')
    return `the old key ${name} is retained: a consumer may still hold it`;
  if (isTimed !== true) return `the old key ${name} is retained`;
  return why.reason === 'used'
    ? `the old key ${name} is still in use and expires soon`
    : `the old key ${name} expires soon, and its successor does not work`;
};

const standingOf = ({ old }: Extract<KeyMatter, { event: 'step-failed' }>, service: string): string => {
  if (old === undefined)
    return 'Every sink holds the new key, and the old key is not deleted until this step succeeds';
  const { state, name } = old;
  if (state === 'none') return `${service.charAt(0).toUpperCase()}${service.slice(1)} has no other key`;
  if (state === 'works') return 'Its old key is unchanged and works';
  return state === 'gone' ? `Its old key ${name} no longer exists` : `Its old key ${name} is ${state}`;
};

const endText = (ends: OldKeyEnd, at: KeyFacts['at']): string =>
  ends.kind === 'at'
    ? `It expires at ${at(toMillis(ends.at))}; calls with it fail from then on.`
    : `It ends after ${durationText(ends.quiet)} without a call, at the earliest at ${at(startOfMinute(ends.from))}.`;

const written = (since: number): string => new Date(since).toISOString().replace(/\.\d+/, '');

export const englishKeys: KeyTexts = {
  events: {
    exposure: ({ name, quota, sum, olds }, { service }) => {
      const times = olds.length === 1 ? 'twice' : `${olds.length + 1} times`;
      const keys = olds.map((old) => `${old.name} (${old.remain})`).join(', ');
      return {
        title: `${service} can temporarily spend its quota ${times}`,
        message: `in addition to the ${quota} of ${name}, ${sum} (in gateway units) can be spent by ${keys} until ${olds.length === 1 ? 'it is' : 'they are'} retired; what is spent until then is deducted from ${name}, so at most ${times} the quota is exposed`,
      };
    },
    'quota-used-up': ({ name, old }) => ({
      title: `${name} has no quota left`,
      message: `the spend of ${old} during the overlap has used up the quota of ${name}: calls with ${name}, which every sink holds, fail`,
      advice: `Add quota to ${name} at the gateway if it is still needed.`,
    }),
    'quota-not-adjusted': ({ name, old, why }) => ({
      title: `the quota of ${name} was not adjusted`,
      message: `${name}: ${undeductedText(why)}. The compromised key ${old} is deleted nevertheless`,
    }),
    'taken-away': ({ name }, { service }) => ({
      title: `the new key ${name} was deleted externally`,
      message: `${name}, the new key of ${service}, was deleted externally while sinks may hold it; another key is created, and no old key is retired until every sink holds that one`,
      advice: 'Find out who deleted it; calls with it fail until its successor is delivered.',
    }),
    'still-there': ({ name, keyId, since }) => ({
      title: `the key ${name} still exists after its deletion`,
      message: `the gateway was asked to delete ${name} (id ${keyId}) at ${new Date(since).toISOString()} and still lists it; the request is repeated in every cycle`,
      advice: 'Inspect the key at the gateway, and delete it manually if it still works.',
    }),
    'orphan-deleted': ({ name }) => ({
      title: 'an orphaned key was deleted',
      message: `${name} was created by a request whose answer was lost, and was listed late; it was deleted`,
    }),
    'orphan-retained': ({ name, keyId, identified, reason, facts }, { service, zone }) => ({
      title: identified
        ? `the key ${name} is retained: it may be in use`
        : `the owner of the key ${name} is unknown`,
      message: `${name} (id ${keyId}) was requested by a rotation of ${service} and, according to the journal, delivered to no sink. It is not deleted: ${retainText({ name, reason, facts }, zone)}`,
      advice: `Find out who uses it. If it is unused, end it with \`tollkeeper keys expire id:${keyId}\`.`,
    }),
    outdated: ({ stated }, { service, word }) => ({
      title: `key operations of ${service} are suspended: its journal is out of date`,
      message: `${outdatedText(stated)}. Either the data folder was restored from a backup, or somebody else created the key, or another Tollkeeper manages this service. No key of ${service} is created, delivered, changed or deleted`,
      advice: `Stop any other Tollkeeper that manages this service. \`tollkeeper keys reconcile ${word}\` shows the difference; with --apply the journal adopts the current state, and nothing else is changed.`,
    }),
    'sink-dead': (about, { service, word }) => ({
      title: `a sink of ${service} holds a key that no longer works`,
      message: deadKeyText(about),
      advice: `\`tollkeeper keys rotate ${word}\` delivers a working key to every sink of the service.`,
    }),
    'step-failed': (about, { service }) => {
      const { step, why, tries } = about;
      const standing = standingOf(about, service);
      return tries === undefined
        ? {
            title: `a step of the rotation of ${service} failed`,
            message: `${step}: ${why}. ${standing}; the step is retried.`,
          }
        : {
            title: `the rotation of ${service} is paused: action required`,
            message: `${step} failed ${tries} times: ${why}. ${standing}.`,
          };
    },
    paused: ({ why }, { service }) => ({
      title: `the rotation of ${service} is still paused: action required`,
      message: why,
    }),
    unconfirmed: (about) => ({
      title: `the key ${about.name} must be confirmed`,
      message: unconfirmedText(about),
    }),
    'too-many-keys': ({ names }, { service }) => ({
      title: `the rotation of ${service} is blocked`,
      message: tooManyText(names),
    }),
    'no-sink': ({ job }, { service }) => ({
      title: `the rotation of ${service} is blocked`,
      message: noSinkText(job, service),
    }),
    held: (about, { service, zone }) => {
      const text = { title: heldTitle(about), message: holdText({ ...about, service }, zone) };
      const { reason } = about.why;
      if (reason === 'clock-skew')
        return {
          ...text,
          advice: 'Synchronize the clocks of both hosts (NTP); no other action is required.',
        };
      return reason === 'place-undeclared' || reason === 'sink-holds-it'
        ? { ...text, advice: 'Nothing is deleted until then.' }
        : text;
    },
    'old-key-used': ({ name, successor, from, to, hours, ends }, { at, zone }) => ({
      title: `the old key ${name} is still in use`,
      message: `calls were made with ${name}, which ${successor} replaces, between ${at(toMillis(from))} and ${at(toMillis(to))}, in the hours ${hoursText(hours, zone)}. ${endText(ends, at)}`,
    }),
    'old-key-unused': ({ name, from, to, lastCall, ends }, { at }) => ({
      title: `the old key ${name} is no longer used`,
      message: `no call was made with ${name} between ${at(toMillis(from))} and ${at(toMillis(to))}${lastCall === undefined ? '' : `; the last one was at ${at(startOfMinute(toMillis(lastCall)))}`}. ${endText(ends, at)}`,
    }),
    ending: ({ name, stage }) => ({ title: `the key ${name} is scheduled to end`, message: stage }),
    stuck: ({ why, since }, { account }) => ({
      title: `the rotations of ${account} cannot be advanced`,
      message: `${why}. No rotation step has been taken since ${written(since)}; it is retried every five minutes.`,
    }),
    'stuck-over': ({ since }, { account }) => ({
      title: `the rotations of ${account} advance again`,
      message: `They could not be advanced since ${written(since)}. The overdue steps are being taken.`,
    }),
    closed: ({ why, since }) => ({
      title: 'key operations are suspended: the key journal is invalid',
      message: `${why}. No key is created, changed or deleted; this was first seen at ${written(since)}, and the journal is checked every five minutes while the daemon runs. Reports and pulls continue.`,
    }),
    'closed-over': ({ since }) => ({
      title: 'the key journal is valid again: rotations advance again',
      message: `It was first seen to be invalid at ${written(since)}. The overdue steps are being taken.`,
    }),
  },
  advice: {
    failed: () =>
      'The step is retried every five minutes while the daemon runs, less often after repeated failures; without a daemon, with each run of its job in mode apply.',
    waiting: (word) =>
      `Fix the cause, then run \`tollkeeper keys resume ${word}\`; or give up the rotation: \`tollkeeper keys give-up ${word}\`.`,
    held: () =>
      'Switch the remaining consumers of the old key to the new one. Until then the old key is retained.',
    escalated: (word) =>
      `Find out who still uses the old key. \`tollkeeper keys list ${word}\` shows its usage; nothing is deleted until it is idle.`,
    used: () => 'Switch the remaining consumers of the old key to the new one.',
    warning: () => 'If the key is still needed, extend its expiry, or use it.',
  },
  use: ({ calls, lastCall, spend, models }, at, currency = '') =>
    [
      countText(calls, 'call'),
      ...(lastCall === undefined ? [] : [`last ${at(startOfMinute(toMillis(lastCall)))}`]),
      ...models.slice(0, 3).map((one) => `${one.model} ${one.calls.toLocaleString('en-US')}`),
      ...(models.length > 3 ? [countText(models.length - 3, 'more model')] : []),
      ...(spend === undefined ? [] : [`${`${spend} ${currency}`.trim()} spent`]),
    ].join(', '),
  service: (service, account, team) =>
    `${service} (account ${account}${team === undefined ? '' : `, team ${team}`})`,
  allAccounts: 'all',
  shows: (now, history) => `\`${now}\` shows the current status; \`${history}\` shows every step.`,
  reminder: 'A reminder is sent every week until this is resolved.',
  daily: 'One mail is sent for each day on which the old key is used, and one when it is not used any more.',
  noFurther: 'No further mail is sent about this event.',
  owner: (owner) => `, owner ${owner}`,
  recipients: (operators, team) => `${operators} and ${team}`,
  auditHead: (steps, hash) => `Audit log: ${countText(steps, 'step')}, head ${hash}.`,
};
