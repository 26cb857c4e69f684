import {
  isLoopback,
  addMonths,
  dateAt,
  isDate,
  isKnownZone,
  parseMailbox,
  startOfMonth,
  toSeconds,
  zoneAdvice,
  type UnixMillis,
} from '../../core/index.ts';
import { sandboxPort } from '../options.ts';

/** What `init` asks for. */
export type InitAnswers = {
  /** Base URL of the gateway. */
  readonly gateway: string;
  readonly mailTo: string;
  readonly mailFrom: string;
  /** IANA time zone. */
  readonly zone: string;
  /** The first day to pull. */
  readonly since: string;
};

export type Question = keyof InitAnswers;

/** The order in which they are asked, with the flag that answers each. */
export const questions = {
  gateway: { flag: '--gateway', label: 'Base URL of the gateway', example: 'https://gateway.example.com' },
  mailTo: { flag: '--mail-to', label: 'Recipient of reports and notices', example: 'finance@example.com' },
  mailFrom: { flag: '--mail-from', label: 'Sender of the mails', example: 'reports@example.com' },
  zone: { flag: '--zone', label: 'Time zone of days and schedules', example: 'Europe/Berlin' },
  since: { flag: '--since', label: 'First day to pull', example: '2026-01-01' },
} as const satisfies Record<Question, { flag: string; label: string; example: string }>;

export const questionNames = Object.keys(questions) as readonly Question[];

/** Port of the mail server that `init --sandbox` configures. */
export const sandboxMailPort = 2525;

const gatewayProblem = (text: string): string | undefined => {
  if (!URL.canParse(text)) return 'must be a URL such as https://gateway.example.com';
  const { protocol, hostname, username, search, hash } = new URL(text);
  if (protocol !== 'https:' && !(protocol === 'http:' && isLoopback(hostname)))
    return 'must begin with https://; http:// is accepted only on loopback';
  return username !== '' || search !== '' || hash !== ''
    ? 'must be a URL without user, query and fragment'
    : undefined;
};

const addressProblem = (text: string): string | undefined =>
  parseMailbox(text) === undefined ? 'must be one mail address such as finance@example.com' : undefined;

/** Why an answer cannot be used; undefined for a good one. */
export const answerProblem = (question: Question, text: string): string | undefined => {
  switch (question) {
    case 'gateway':
      return gatewayProblem(text);
    case 'mailTo':
    case 'mailFrom':
      return addressProblem(text);
    case 'zone':
      return isKnownZone(text)
        ? undefined
        : 'must be a name of the IANA time zone database such as Europe/Berlin';
    case 'since':
      return isDate(text) ? undefined : 'must be a date such as 2026-01-01';
    default:
      return question satisfies never;
  }
};

/** What to answer instead of an answer with a problem. */
export const answerAdvice = (question: Question, text: string): string | undefined =>
  question === 'zone' ? zoneAdvice(text) : undefined;

type Known = Partial<InitAnswers>;

/** The default answer; undefined if there is no default. */
export const defaultAnswer = (
  question: Question,
  known: Known,
  { now, zone, isSandbox }: { readonly now: UnixMillis; readonly zone: string; readonly isSandbox: boolean },
): string | undefined => {
  switch (question) {
    case 'gateway':
      return isSandbox ? `http://127.0.0.1:${sandboxPort}` : undefined;
    case 'mailTo':
      return isSandbox ? 'me@example.com' : undefined;
    case 'mailFrom': {
      const to = known.mailTo === undefined ? undefined : parseMailbox(known.mailTo);
      return `Tollkeeper <reports@${to?.address.split('@').at(-1) ?? 'example.com'}>`;
    }
    case 'zone':
      return zone;
    case 'since':
      // Two whole months, so that the first monthly report has a comparison.
      return addMonths(startOfMonth(dateAt(toSeconds(now), known.zone ?? zone)), -2);
    default:
      return question satisfies never;
  }
};
