import { z } from 'zod';
import {
  databaseUrlOf,
  isLoopback,
  bytesOf,
  isDate,
  money,
  parseDuration,
  type Money,
  type Secret,
  isKnownZone,
} from '../../core/index.ts';
import { fieldNotes, type FieldNotes } from './notes.ts';

const mailbox =
  /^[^\s@<>()[\]\\,;:"\p{Cc}]{1,64}@([\p{L}\p{N}]([\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?\.)*[\p{L}\p{N}]([\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?$/u;
const named = /^(?:"([^"\\\p{Cc}]*)" *|([^<>"@,;:\\\p{Cc}]*))<([^<>]+)>$/u;

/** `ops@example.com`, or with a display name: `Operations <ops@example.com>`. One address, no lists, no comments. */
export const isAddress = (text: string): boolean => {
  if (text.length > 320) return false;
  return mailbox.test(named.exec(text)?.[3] ?? text);
};

/** The port of a web or mail address is out of range, so parsers reject the address. */
export const hasBadPort = (text: unknown): boolean => {
  const port = /^[a-z]+:\/\/(?:[^/@]*@)?(?:\[[^\]]*\]|[^/:@]+):(\d+)(?:[/?#]|$)/i.exec(String(text))?.[1];
  return port !== undefined && (port.length > 5 || Number(port) > 65_535);
};

const badPort = 'must have a port from 1 to 65535';

/** A text field that a function checks; `description` states what it must be. */
const checked = (description: string, holds: (text: string) => boolean, notes: FieldNotes = {}) =>
  z
    .string()
    .refine(holds, { error: ({ input }) => (hasBadPort(input) ? badPort : `must be ${description}`) })
    .register(fieldNotes, { ...notes, description });

const describeDuration = 'a duration such as 90s, 10m, 2h, 1h30m, 2d or 1w';

/** Written `10m`; read as milliseconds. */
export const duration = checked(describeDuration, (text) => parseDuration(text) !== undefined, {
  shows: 'duration',
})
  .meta({ examples: ['10m', '2h', '1d'] })
  .transform((text) => parseDuration(text) ?? 0);

/** Like `duration`, but greater than zero. */
export const positiveDuration = checked(
  `${describeDuration}, longer than 0`,
  (text) => (parseDuration(text) ?? 0) > 0,
  { shows: 'duration' },
)
  .meta({ examples: ['10m', '2h', '1d'] })
  .transform((text) => parseDuration(text) ?? 0);

/** Long enough to extend a lease in time, and short enough for a standby to take over soon. */
export const leaseDuration = checked(
  `${describeDuration}, from 2s to 10m`,
  (text) => (parseDuration(text) ?? 0) >= 2000 && (parseDuration(text) ?? 0) <= 600_000,
  { shows: 'duration' },
)
  .meta({ examples: ['10s'] })
  .transform((text) => parseDuration(text) ?? 0);

/** `2025-01-31`. */
export const date = checked('a date written YYYY-MM-DD', isDate, { form: 'date' }).meta({
  examples: ['2025-01-01'],
});

/** `Europe/Berlin`. */
export const zone = checked('a time zone of the IANA list, such as UTC or Europe/Berlin', isKnownZone, {
  form: 'zone',
}).meta({
  examples: ['UTC', 'Europe/Berlin', 'Asia/Shanghai'],
});

const rateUnits: Readonly<Record<string, number>> = {
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};
const ratePattern = /^([1-9]\d{0,5})\/([smhd])$/;

/** Written `30/m`; parsed as a count and a period in milliseconds. */
export const rate = checked('a rate such as 30/m, 5/s or 500/h', (text) => ratePattern.test(text))
  .meta({ examples: ['30/m', '500/h'] })
  .transform((text) => {
    const [, count, unit] = ratePattern.exec(text) ?? [];
    return { count: Number(count ?? 1), per: rateUnits[unit ?? ''] ?? 1000 };
  });

const cronNames = /^@(yearly|annually|monthly|weekly|daily|midnight|hourly)$/;
const cronField = /^[0-9a-z*?,/#LW-]+$/i;

/** Whether it has the form of a cron expression; the scheduler checks whether it ever fires. */
export const hasCronShape = (text: string): boolean => {
  if (cronNames.test(text)) return true;
  const parts = text.trim().split(/\s+/);
  return (parts.length === 5 || parts.length === 6) && parts.every((part) => cronField.test(part));
};

/** `7 * * * *` (minute, hour, day, month, weekday; a sixth field in front for seconds) or `@daily`. */
export const cron = checked(
  'a cron expression of five fields such as "0 8 * * 1-5" (minute hour day month weekday), or @daily, @hourly, @weekly, @monthly',
  hasCronShape,
).meta({ examples: ['0 8 * * *', '@daily'] });

/** A mail address, `ops@example.com` or `Operations <ops@example.com>`. */
export const address = checked(
  'a mail address such as ops@example.com or "Operations <ops@example.com>"',
  isAddress,
  { advice: 'write name@example.com or "Name <name@example.com>"' },
).meta({ examples: ['ops@example.com', 'Operations <ops@example.com>'] });

export const addresses = z.array(address).min(1);

const domainMessage = 'a domain such as example.com';

export const domain = checked(domainMessage, (text) =>
  /^(?=.{1,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/i.test(text),
);

/** The name of a DKIM key, labels of a domain name. */
export const selector = checked(
  'a DKIM selector such as mail or 2026.tollkeeper',
  (text) =>
    text.length <= 63 && /^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/i.test(text),
);

const isSecureUrl = (text: string): boolean => {
  if (text.length > 500 || !/^https?:\/\//i.test(text) || !URL.canParse(text)) return false;
  const url = new URL(text);
  return url.username + url.password === '' && (url.protocol === 'https:' || isLoopback(url.hostname));
};

const secureUrlMessage = 'an https URL without user and password (http only on loopback)';

/** A web address that contains no secret. */
export const httpsUrl = checked(secureUrlMessage, isSecureUrl, {
  advice: 'write an address such as https://example.com/path',
});

/** An exact decimal amount, never negative. */
export const amount = z
  .union([
    z.number().refine((value) => value >= 0 && String(value).replace('.', '').length <= 15, {
      error: 'must be an amount of 0 or more; put it in quotes when it has more than 15 digits',
    }),
    z.string().refine((text) => /^\d{1,18}(\.\d{1,12})?$/.test(text), {
      error: 'must be an amount such as 500 or "499.95"',
    }),
  ])
  .register(fieldNotes, {
    description: 'an amount such as 500 or "499.95"',
    advice: 'write 500 or "499.95", without currency and thousands separators',
    shows: 'bare',
  })
  .transform((value): Money => money(String(value)));

/** `1GB`, `512MB`. */
export const size = checked('a size such as 512MB or 2GB', (text) =>
  /^[1-9]\d{0,5}(\.\d{1,2})?\s?(KB|MB|GB|TB|KiB|MiB|GiB|TiB)$/.test(text),
).meta({ examples: ['1GB', '512MB'] });

/** Like `size`, read as bytes. */
export const byteSize = size.transform(bytesOf);

/** A path of a file or folder; relative paths start at the working directory. */
export const path = checked('a path', (text) => text.trim() !== '' && !text.includes('\0'));

/** A path of a PEM file with certificates, checked when the config is read. */
export const certificates = checked('a path of a PEM file', (text) => text.trim() !== '', { pem: true });

/** Valid keys of `accounts`, and names of reports: they are names of folders. */
export const isName = (text: string): boolean => /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(text);

export const name = checked('a name of letters, digits, ".", "_" and "-", at most 64 long', isName, {
  advice: 'use letters, digits, ".", "_" and "-", beginning with a letter or digit',
});

/** Valid keys of `jobs`: letters of any script. */
export const isJobName = (text: string): boolean =>
  /^[\p{L}\p{N}][\p{L}\p{M}\p{N}._-]{0,63}$/u.test(text.normalize('NFC'));

/** Valid keys of `teams` and `budgets`: words in letters of any script. */
const isTextName = (text: string): boolean => isJobName(text.replaceAll(/(?<=[^ ]) (?=[^ ])/g, '_'));

const describeJobName = 'a name of letters of any script, digits, ".", "_" and "-", at most 64 long';
const describeTextName =
  'a name of letters of any script, digits, ".", "_", "-" and single spaces, at most 64 long';

export const jobKey = checked(describeJobName, isJobName, {
  advice: 'use letters, digits, ".", "_" and "-", beginning with a letter or digit',
});

export const textName = checked(describeTextName, isTextName, {
  advice: 'use letters, digits, ".", "_", "-" and single spaces, beginning with a letter or digit',
});

/** Valid keys of `routes`: `mail` is reserved for rows of mails. */
export const routeKey = checked(
  'a name of letters, digits, ".", "_" and "-", at most 64 long, and not mail',
  (text) => isName(text) && text !== 'mail',
);

const naming = (kind: 'account' | 'report' | 'route') =>
  checked('a name of letters, digits, ".", "_" and "-", at most 64 long', isName, {
    names: kind,
    advice: `write the name of one ${kind}`,
  });

/** Names compare in Unicode form NFC. */
const inNfc = (field: z.ZodString) => field.transform((text) => text.normalize('NFC'));

/** The name of a budget, as a value. */
export const budgetName = inNfc(textName);

/** Each must name something declared: an entry of tollkeeper.yaml, a report folder, another job. */
export const accountName = naming('account');
export const teamName = inNfc(
  checked(describeTextName, isTextName, { names: 'team', advice: 'write the name of one team' }),
);
export const reportName = naming('report');
export const jobName = inNfc(
  checked(describeJobName, isJobName, { names: 'job', advice: 'write the name of one job' }),
);
export const routeName = naming('route');

/** A recipient: a mail address, or the name of a route. */
export const addressee = checked(
  'a mail address such as ops@example.com, or the name of a route',
  (text) => isAddress(text) || isName(text),
  { names: 'route', advice: 'write name@example.com, or the name of a route of tollkeeper.yaml' },
).meta({ examples: ['ops@example.com', 'ops-chat'] });

const hide = (value: string): Secret => ({
  reveal: () => value,
  toString: () => '[secret]',
  toJSON: () => '[secret]',
});

const anySecret = checked(
  'a reference such as "${NAME}" or "${file:/run/secrets/name}"',
  (text) => text.trim() !== '',
  {
    secret: 'whole',
    advice: 'write "${NAME}" or "${file:/run/secrets/name}"',
  },
);

/** A secret, only allowed as a complete reference; registered for redaction before it is checked. */
export const secret = anySecret.transform(hide);

/**
 * The Admin Key. Secret stores and editors add blanks and line breaks, which no key contains and no header may hold: they
 * are removed here, and `adminKeyWarnings` names them.
 */
export const adminKey = anySecret.transform((text) => hide(text.trim()));

/** A secret that clients send in a header. */
export const accessToken = checked(
  'a reference to a token of at least 16 letters, digits and other ASCII characters, without spaces',
  (text) => /^[\x21-\x7e]{16,}$/.test(text),
  {
    secret: 'whole',
    advice: 'write "${NAME}" or "${file:/run/secrets/name}"; `openssl rand -hex 32` prints a token',
  },
).transform(hide);

/** Shorter keys can be guessed from one signed message. */
const shortestSigningSecret = 16;

/** A secret that signs messages. */
export const signingSecret = checked(
  `a reference to a secret of at least ${shortestSigningSecret} characters`,
  (text) => text.length >= shortestSigningSecret,
  {
    secret: 'whole',
    advice: 'write "${NAME}" or "${file:/run/secrets/name}"; `openssl rand -hex 32` prints a secret',
  },
).transform(hide);

const isSmtpUrl = (text: string): boolean => {
  if (!/^smtps?:\/\//.test(text) || !URL.canParse(text)) return false;
  const url = new URL(text);
  return url.hostname !== '' && (url.pathname === '' || url.pathname === '/') && url.search + url.hash === '';
};

/** A web address that is a secret, since anyone with it can post there; only allowed as a complete reference. */
export const secretUrl = checked(`a reference to ${secureUrlMessage}`, isSecureUrl, {
  secret: 'whole',
}).transform(hide);

/** A web address that may be written in the file, but is not shown again. */
export const openUrl = checked(secureUrlMessage, isSecureUrl, { secret: 'open' }).transform(hide);

/** Address of a mail server; its password, if any, by reference. */
export const smtpUrl = checked(
  'an address such as smtp://user:${SMTP_PASSWORD}@mail.example.com:587 or smtps://mail.example.com (characters like / # @ : % within user and password percent-encoded)',
  isSmtpUrl,
  {
    secret: 'password',
    advice:
      'write smtp://host:587 or smtps://host:465; a user and password stand before the host, by reference',
  },
).transform(hide);

/** The driver checks the parameters; a password among them would not be known as one. */
const isDatabaseUrl = (text: string): boolean =>
  databaseUrlOf(text)?.url.searchParams.has('password') === false;

/** Address of a database of PostgreSQL; its password, if any, by reference. */
export const databaseUrl = checked(
  'an address such as postgres://user:${DATABASE_PASSWORD}@db.example.com:5432/tollkeeper?sslmode=verify-full (characters like / # @ : % within user and password percent-encoded)',
  isDatabaseUrl,
  {
    secret: 'password',
    advice:
      'write postgres://user:${DATABASE_PASSWORD}@host:5432/database, or postgres://user@/database?host=/run/postgresql for a Unix socket',
  },
).transform(hide);

const heartbeatMessage =
  'a web address such as https://hc-ping.com/…, without user and password, https except on loopback';

const isHeartbeatUrl = (text: string): boolean => {
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) return false;
  const url = new URL(text);
  return url.username + url.password === '' && (url.protocol === 'https:' || isLoopback(url.hostname));
};

/** Address of a dead-man's switch. Anyone with it can call it, so it is a secret that may be written in the file. */
export const heartbeatUrl = checked(heartbeatMessage, isHeartbeatUrl, { secret: 'open' })
  .transform(hide)
  .meta({ examples: ['https://hc-ping.com/…', '${HEARTBEAT_URL}'] });

/** An entry for each of a list. */
export const shapeOf = <Item, Name extends string, Field>(
  items: readonly Item[],
  entryOf: (item: Item) => readonly [Name, Field],
): Record<Name, Field> => Object.fromEntries(items.map(entryOf)) as Record<Name, Field>;
