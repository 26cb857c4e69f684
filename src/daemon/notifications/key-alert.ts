import { formatSlot, shellWord, type UnixMillis } from '../../core/index.ts';
import type { CostOwners } from '../../jobs/index.ts';
import { describeHead, describeUse, fitsPattern, type AuditHead, type KeyAlert } from '../../keys/index.ts';
import type { AlertBlock } from '../../reports/index.ts';
import type { Message, MessageDeps } from './message.ts';

type KeyAlertEvent = {
  readonly alert: KeyAlert;
  readonly at: UnixMillis;
  readonly teams: CostOwners['teams'];
  readonly currency?: string | undefined;
  readonly keyNames: readonly string[];
  /** The last step of the audit log; missing before the first. */
  readonly audit?: AuditHead | undefined;
};

type Kind = KeyAlert['kind'];

const forOwner: ReadonlySet<Kind> = new Set(['held', 'escalated', 'warning', 'done']);

const defaultToDo = ({ kind, service: named }: KeyAlert): string | undefined => {
  // For an account or the journal, the alert itself contains the whole next step.
  if (named === '') return undefined;
  const service = shellWord(named);
  const advice: { readonly [What in Kind]?: string } = {
    failed:
      'The step is retried every five minutes while the daemon runs, less often after repeated failures; without a daemon, with each run of its job in mode apply.',
    waiting: `Fix the cause, then run \`tollkeeper keys resume ${service}\`; or give up the rotation: \`tollkeeper keys give-up ${service}\`.`,
    held: 'Switch the remaining consumers of the old key to the new one. Until then the old key is retained.',
    escalated: `Find out who still uses the old key. \`tollkeeper keys list ${service}\` shows its usage; nothing is deleted until it is idle.`,
    warning: 'If the key is still needed, extend its expiry, or use it.',
  };
  return advice[kind];
};

const toDo = (alert: KeyAlert): string | undefined => {
  const { faultAdvice, advice = defaultToDo(alert) } = alert;
  if (faultAdvice === undefined || advice === undefined) return faultAdvice ?? advice;
  return `${faultAdvice}${faultAdvice.endsWith('.') ? '' : '.'} ${advice}`;
};

/** The command that shows the current state: a service that never had a key is in no list of keys. */
const showsNow = ({ kind }: KeyAlert, service: string): string =>
  kind === 'failed' || kind === 'waiting' ? 'tollkeeper status' : `tollkeeper keys list ${service}`;

const good: ReadonlySet<Kind> = new Set(['done', 'exposure']);

/** What needs a person, or stops an account, is notified again until it is resolved. */
const isNotifiedAgain = ({ kind, service }: KeyAlert): boolean =>
  kind === 'waiting' || (kind === 'failed' && service === '');

const costOwnerOf = (
  { service }: KeyAlert,
  { teams, keyNames }: KeyAlertEvent,
): CostOwners['teams'][number] | undefined =>
  teams.find(({ keys }) =>
    keys.some((pattern) => [service, ...keyNames].some((name) => fitsPattern(pattern, name))),
  );

/** Goes to operators, and to the team that pays for the key if its use is affected. */
export const keyAlertMessages = (
  event: KeyAlertEvent,
  { operators, zone }: Pick<MessageDeps, 'operators' | 'zone'>,
): readonly Message[] => {
  const { alert, at, currency, audit } = event;
  const team = forOwner.has(alert.kind) && alert.service !== '' ? costOwnerOf(alert, event) : undefined;
  const advice = toDo(alert);
  const service = shellWord(alert.service);
  const block: AlertBlock = {
    tone: good.has(alert.kind) ? 'good' : 'bad',
    lines: [
      ['What', alert.message],
      ...(alert.use === undefined ? [] : [['Last use', describeUse(alert.use, zone, currency)] as const]),
      ...(advice === undefined ? [] : [['What to do', advice] as const]),
      // Some alerts belong to an account or the journal, not to a service.
      alert.service === ''
        ? ['Account', alert.account || 'all']
        : [
            'Service',
            `${alert.service} (account ${alert.account}${team === undefined ? '' : `, team ${team.name}`})`,
          ],
      ['When', formatSlot(at, zone)],
    ],
  };
  return [
    {
      account: alert.account,
      subject: [alert.key],
      topics: [JSON.stringify([alert.service, alert.rotation])],
      to: [...new Set([...operators, ...(team?.mail ?? [])])],
      recipients: team === undefined ? 'mail.operators' : `mail.operators and teams.${team.name}.mail`,
      title: alert.title,
      blocks: [block],
      closing: [
        ...(alert.service === ''
          ? []
          : [
              `\`${showsNow(alert, service)}\` shows the current status; \`tollkeeper keys history ${service}\` shows every step.`,
            ]),
        isNotifiedAgain(alert)
          ? 'A reminder is sent every week until this is resolved.'
          : 'No further mail is sent about this event.',
        ...(audit === undefined ? [] : [describeHead(audit)]),
      ],
    },
  ];
};
