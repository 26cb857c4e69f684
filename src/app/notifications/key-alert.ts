import { shellWord, type UnixMillis } from '../../core/index.ts';
import { addressesOf, type CostOwners } from '../../jobs/index.ts';
import { fitsPattern, type AuditHead, type KeyAlert } from '../../keys/index.ts';
import { keyText, linesOf, type Locale } from '../../messages/index.ts';
import type { AlertBlock } from '../../reports/index.ts';
import { tagsOf } from '../../warehouse/index.ts';
import type { Message, MessageDeps } from './message.ts';

type KeyAlertEvent = Pick<CostOwners, 'teams' | 'tags' | 'mailOf'> & {
  readonly alert: KeyAlert;
  readonly at: UnixMillis;
  readonly currency?: string | undefined;
  readonly keyNames: readonly string[];
  /** The last step of the audit log; missing before the first. */
  readonly audit?: AuditHead | undefined;
};

type Kind = KeyAlert['kind'];

/** Also goes to the team that pays for the key. */
const forTeam: ReadonlySet<Kind> = new Set(['held', 'escalated', 'warning', 'done']);

/** Goes to the owner of the key alone: operators have nothing to do. */
const forOwner: ReadonlySet<Kind> = new Set(['used', 'unused']);

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

const good: ReadonlySet<Kind> = new Set(['done', 'exposure', 'unused']);

/** What needs a person, or stops an account, is notified again until it is resolved. */
const isNotifiedAgain = ({ kind, service }: KeyAlert): boolean =>
  kind === 'waiting' || (kind === 'failed' && service === '');

const teamOf = (
  { service }: KeyAlert,
  { teams, keyNames }: KeyAlertEvent,
): CostOwners['teams'][number] | undefined =>
  teams.find(({ keys }) =>
    keys.some((pattern) => [service, ...keyNames].some((name) => fitsPattern(pattern, name))),
  );

type Recipients = {
  readonly to: readonly string[];
  /** The settings that hold them. */
  readonly settings: string;
  /** Shown beside the service. */
  readonly whose: string;
};

/** For the owner of a key: the one that a tag of the key names, else its team, else the operators. For others: operators and the team. */
const recipientsOf = (
  event: KeyAlertEvent,
  team: CostOwners['teams'][number] | undefined,
  { operators, locale: { keys } }: Pick<MessageDeps, 'operators' | 'locale'>,
): Recipients => {
  const { kind, about, service } = event.alert;
  const teamMail = team?.mail ?? [];
  if (!forOwner.has(kind))
    return {
      to: [...new Set([...operators, ...teamMail])],
      settings:
        team === undefined ? 'mail.operators' : keys.recipients('mail.operators', `teams.${team.name}.mail`),
      whose: '',
    };
  const { owner } = tagsOf('name' in about ? about.name : service, service, event.tags ?? []);
  const own = owner === null ? [] : addressesOf(event, 'owner', owner);
  if (owner !== null && own.length > 0)
    return { to: own, settings: `owners.${owner}.mail`, whose: keys.owner(owner) };
  return team === undefined || teamMail.length === 0
    ? { to: operators, settings: 'mail.operators', whose: '' }
    : { to: teamMail, settings: `teams.${team.name}.mail`, whose: '' };
};

/** Goes to operators, and to the team that pays for the key if its use is affected. */
export const keyAlertMessages = (
  event: KeyAlertEvent,
  { operators, zone, locale }: Pick<MessageDeps, 'operators' | 'zone' | 'locale'>,
): readonly Message[] => {
  const { alert, currency, audit } = event;
  const { account, service, use } = alert;
  const { keys, mails, outages } = locale;
  const at = (moment: UnixMillis): string => outages.at(moment, zone);
  const isOfTeam = service !== '' && (forTeam.has(alert.kind) || forOwner.has(alert.kind));
  const team = isOfTeam ? teamOf(alert, event) : undefined;
  const { to, settings, whose } = recipientsOf(event, team, { operators, locale });
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
        service: service === '' ? undefined : `${keys.service(service, account, team?.name)}${whose}`,
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
      to,
      recipients: settings,
      title,
      blocks: [block],
      closing: [
        ...(service === '' ? [] : [keys.shows(showsNow(alert, word), `tollkeeper keys history ${word}`)]),
        alert.kind === 'used' ? keys.daily : isNotifiedAgain(alert) ? keys.reminder : keys.noFurther,
        ...(audit === undefined ? [] : [keys.auditHead(audit.seq, audit.hash)]),
      ],
    },
  ];
};
