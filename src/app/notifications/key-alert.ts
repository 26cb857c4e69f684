import { shellWord, type UnixMillis } from '../../core/index.ts';
import type { CostOwners } from '../../jobs/index.ts';
import { fitsPattern, type AuditHead, type KeyAlert } from '../../keys/index.ts';
import { keyText, linesOf, type Locale } from '../../messages/index.ts';
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

/** The advice of the fault, and of the alert or its kind: an alert about an account or the journal itself contains the next step. */
const toDo = (
  { fault, kind, service }: KeyAlert,
  own: string | undefined,
  { keys, sentences, advice: adviceFor }: Locale,
): string | undefined => {
  const advice = own ?? (service === '' ? undefined : keys.advice[kind]?.(shellWord(service)));
  const faultAdvice = fault === undefined ? undefined : adviceFor(fault.code, fault.advice);
  if (faultAdvice === undefined || advice === undefined) return faultAdvice ?? advice;
  return sentences([`${faultAdvice}${/[.。]$/.test(faultAdvice) ? '' : '.'}`, advice]);
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
  { operators, zone, locale }: Pick<MessageDeps, 'operators' | 'zone' | 'locale'>,
): readonly Message[] => {
  const { alert, currency, audit } = event;
  const { account, service, use } = alert;
  const { keys, mails, outages } = locale;
  const at = (moment: UnixMillis): string => outages.at(moment, zone);
  const team = forOwner.has(alert.kind) && service !== '' ? costOwnerOf(alert, event) : undefined;
  const { title, message, advice } = keyText(alert, keys, { at, zone });
  const word = shellWord(service);
  const block: AlertBlock = {
    tone: good.has(alert.kind) ? 'good' : 'bad',
    lines: linesOf(
      {
        what: message,
        lastUse: use && keys.use(use, at, currency),
        toDo: toDo(alert, advice, locale),
        // Some alerts belong to an account or the journal, not to a service.
        account: service === '' ? account || keys.allAccounts : undefined,
        service: service === '' ? undefined : keys.service(service, account, team?.name),
        when: at(event.at),
      },
      mails,
    ),
  };
  return [
    {
      account,
      subject: [alert.key],
      topics: [JSON.stringify([service, alert.rotation])],
      to: [...new Set([...operators, ...(team?.mail ?? [])])],
      recipients:
        team === undefined ? 'mail.operators' : keys.recipients('mail.operators', `teams.${team.name}.mail`),
      title,
      blocks: [block],
      closing: [
        ...(service === '' ? [] : [keys.shows(showsNow(alert, word), `tollkeeper keys history ${word}`)]),
        isNotifiedAgain(alert) ? keys.reminder : keys.noFurther,
        ...(audit === undefined ? [] : [keys.auditHead(audit.seq, audit.hash)]),
      ],
    },
  ];
};
