import { z } from 'zod';
import { localeTags, rowKinds } from '../base/index.ts';
import {
  address,
  addressee,
  addresses,
  amount,
  byteSize,
  certificates,
  date,
  hasBadPort,
  httpsUrl,
  name,
  path,
  positiveDuration,
  rate,
  secret,
  size,
  smtpUrl,
  zone,
} from './fields.ts';
import { isLoopback } from './loopback.ts';
import { contradictions, mailOptions } from './mail-options.ts';
import { fieldNotes } from './notes.ts';
import { routes } from './routes-schema.ts';

const baseUrlMessage = 'a web address such as https://gateway.example.com';

const isBaseUrl = (text: string): boolean => {
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) return false;
  const url = new URL(text);
  return url.username + url.password + url.search + url.hash === '';
};

/** `/api`, `/v1/chat/completions`: paths that the client adds by itself, and that it would ask for twice. */
const endsBeforeApi = (text: string): boolean =>
  !/\/(api|v\d+(alpha|beta)?\d*)(\/|$)/i.test(new URL(text).pathname);

const isSecure = (text: string): boolean => {
  const url = new URL(text);
  return url.protocol === 'https:' || isLoopback(url.hostname);
};

const port = z.int().min(0).max(65_535);

const columnName = z.string().min(1).describe('Its name in the header of the log export.').optional();

const gateway = z.strictObject({
  columns: z
    .strictObject({
      created_at: columnName,
      model_name: columnName,
      token_name: columnName,
      kind: columnName,
      prompt_tokens: columnName,
      completion_tokens: columnName,
      cached_tokens: columnName,
      cache_write_tokens: columnName,
      reasoning_tokens: columnName,
      audio_tokens: columnName,
      audio_input_tokens: columnName,
      audio_output_tokens: columnName,
      image_tokens: columnName,
      quota: columnName,
    })
    .describe(
      'Header names of the log export, by what they are: { quota: charge_usd }. A name that is given is the only one taken; what is not named asks the data.',
    )
    .optional(),
  kinds: z
    .record(z.string().min(1), z.enum(rowKinds))
    .describe(
      'What rows of the log export are, by the word or number in their kind column: consumption and refund are spend, the others are kept apart. For rows that are landed from then on.',
    )
    .optional(),
  title_lines: z
    .int()
    .min(0)
    .max(19)
    .describe('How many lines come before the header of the log export; left out, it is looked for.')
    .optional(),
  total_line: z
    .boolean()
    .describe(
      'Whether the log export ends with a line that adds its rows up: true makes one that is missing an error, false takes every line for a row; left out asks the data.',
    )
    .optional(),
  guards: z
    .boolean()
    .describe(
      "Whether cells of the log export begin with a ' against spreadsheets, which is taken off; left out asks the data.",
    )
    .optional(),
  timestamps: z
    .enum(['auto', 'seconds', 'milliseconds', 'rfc3339', 'naive'])
    .describe('How created_at of the log export is written; auto asks the data.')
    .optional(),
  naive_zone: zone.describe('Zone of log timestamps that are written without one.').optional(),
  amounts: z
    .enum(['auto', 'currency', 'units'])
    .describe(
      'Whether amounts come as currency or as integer units; auto asks the data, and reports have no amounts until they prove it.',
    )
    .optional(),
  units_per_currency: z
    .int()
    .min(1)
    .describe(
      'How many integer units make 1 of the account’s currency. Left out, 500000 units are 1 US dollar, whatever the account’s currency.',
    )
    .optional(),
  usage_zone: zone.describe('Zone in which the usage export cuts its days.').optional(),
  token_convention: z
    .record(z.string().min(1), z.enum(['includes_cache', 'excludes_cache']))
    .describe(
      'Whether prompt tokens hold the cached and cache-write ones (includes_cache), or those come on top (excludes_cache), by name of model; * stands for anything, and the closest name applies. What is not named asks the data.',
    )
    .optional(),
  output_convention: z
    .record(z.string().min(1), z.enum(['includes_reasoning', 'excludes_reasoning']))
    .describe(
      'Whether completion tokens hold the reasoning ones (includes_reasoning), or those come on top (excludes_reasoning), by name of model; * stands for anything, and the closest name applies. What is not named asks the data.',
    )
    .optional(),
});

const timeouts = z.strictObject({
  connect: positiveDuration.describe('Until the connection stands.').optional(),
  headers: positiveDuration.describe('Until the answer begins.').optional(),
  idle: positiveDuration.describe('Between two parts of an answer.').optional(),
  total: positiveDuration.describe('For the whole of one call.').optional(),
});

const account = z.strictObject({
  base_url: z
    .string()
    .refine(isBaseUrl, {
      error: ({ input }) =>
        hasBadPort(input) ? 'must have a port from 1 to 65535' : `must be ${baseUrlMessage}`,
      abort: true,
    })
    .refine(endsBeforeApi, {
      error: 'must be the address of the gateway alone, without the path of its API',
      abort: true,
    })
    .refine(isSecure, {
      error: 'must be https, since the Admin Key travels there; http is taken on loopback alone',
    })
    .register(fieldNotes, {
      words: baseUrlMessage,
      advice: 'write the https address alone, such as https://gateway.example.com',
    })
    .describe('Address of the gateway, https but for loopback.'),
  admin_key: secret.describe('Admin Key, by reference: "${GATEWAY_ADMIN_KEY}".'),
  admin_key_issued: date
    .optional()
    .describe('The day it was issued: operators are reminded when it is older than admin_key_max_age.'),
  admin_key_max_age: positiveDuration
    .prefault('90d')
    .describe('The age at which it should be replaced; the gateway lets nobody but a person do that.'),
  currency: z.enum(['USD', 'CNY']).default('USD').describe('Currency that the log export is asked for.'),
  tls: z
    .strictObject({ ca: certificates.describe('PEM file with further certificate authorities to trust.') })
    .optional(),
  timeouts: timeouts.describe('Limits on calls to the gateway.').optional(),
  budget: z
    .strictObject({ month: amount.describe('Money a calendar month, in the currency of the account.') })
    .optional()
    .describe('What the account may spend.'),
  gateway: gateway.describe('What this gateway does where its document is silent.').prefault({}),
});

export const warehousePath = path.default('data/tollkeeper.duckdb').describe('The database file.');

const warehouse = z.strictObject({
  path: warehousePath,
  memory_limit: size.default('1GB').describe('How much memory the database may use.'),
  threads: z.int().min(1).max(256).default(2).describe('How many threads the database may use.'),
  temp_directory: path.optional().describe('Where it may put what does not fit in memory.'),
  archive: z
    .strictObject({
      path: path
        .optional()
        .describe(
          'Folder of the Parquet files of the call log; the folder archive beside the database when left out.',
        ),
    })
    .optional()
    .describe('Where jobs of kind archive keep months of the call log.'),
});

const mail = z
  .strictObject({
    smtp: smtpUrl.describe('Mail server: smtp:// (with STARTTLS) or smtps://, the password by reference.'),
    from: address.describe('Sender of all mails.'),
    operators: z
      .array(addressee)
      .default([])
      .describe('Who is told when something is wrong: mail addresses, or names of routes.'),
    ...mailOptions,
    attach_limit: byteSize
      .prefault('10MB')
      .describe(
        'How large the attachments of a mail may get in all, as they travel; larger ones are told of instead.',
      ),
    files_url: httpsUrl
      .optional()
      .describe(
        'Web address that the folder reports beside the database is served at; mails link to files there.',
      ),
    rate: rate
      .optional()
      .describe(
        'How many mails the server is given at most in a span of time; as many as it takes unless set.',
      ),
    keep: positiveDuration
      .prefault('90d')
      .describe('How long the exact bytes of a mail are kept once it was sent; what was not sent is kept.'),
    tls: z
      .strictObject({ ca: certificates.describe('PEM file with further certificate authorities to trust.') })
      .optional(),
  })
  .superRefine((settings, context) => {
    for (const { key, message } of contradictions(settings))
      context.addIssue({ code: 'custom', path: [key], message });
  });

const team = z.strictObject({
  keys: z
    .array(z.string().min(1))
    .min(1)
    .describe('Names of the API keys that the team pays for; * stands for anything.'),
  mail: addresses.optional().describe('Who in the team receives its reports.'),
  budget: z
    .strictObject({ month: amount.describe('Money a calendar month, in the currency of the account.') })
    .optional()
    .describe('What the team may spend.'),
});

const perMillion = (words: string) => amount.describe(`Money for a million tokens of ${words}.`).optional();

const price = z.strictObject({
  currency: z.enum(['USD', 'CNY']).default('USD').describe('Currency of these prices.'),
  input: perMillion('input that is not cached'),
  cached: perMillion('cache reads'),
  cache_write: perMillion('cache writes'),
  audio_input: perMillion('audio input'),
  image: perMillion('image input'),
  output: perMillion('output'),
  reasoning: perMillion('reasoning; that of output unless given'),
  audio_output: perMillion('audio output'),
});

const scheduler = z.strictObject({
  max_running: z.int().min(1).max(64).default(4).describe('How many jobs run at once at most.'),
  grace: positiveDuration
    .prefault('8s')
    .describe('How long running jobs get to end by themselves when the daemon is stopped.'),
  keep_runs: positiveDuration.prefault('400d').describe('How long runs are kept in the ledger.'),
});

/** Shape of tollkeeper.yaml. */
export const settingsSchema = z
  .strictObject({
    timezone: zone.default('UTC').describe('Zone of all jobs that name none.'),
    locale: z
      .enum(localeTags)
      .default('en')
      .describe('Language of all reports that name none: their words, figures and dates.'),
    accounts: z.record(name, account).prefault({}).describe('Gateway accounts by name.'),
    warehouse: warehouse.prefault({}).describe('The database.'),
    mail: mail.optional().describe('Mail server and sender.'),
    routes: routes
      .prefault({})
      .describe('Ways out beside mail, by name: webhooks of your own, of Slack and of Teams.'),
    teams: z.record(name, team).prefault({}).describe('Who pays: teams by name.'),
    prices: z
      .record(z.string().min(1), price)
      .prefault({})
      .describe(
        'Prices by name of model; * stands for anything, and the closest name applies. Reports tell from them what each class of tokens costs and what caching saves.',
      ),
    archive_reports: z
      .strictObject({
        keep: positiveDuration.prefault('400d').describe('How long built reports are kept with their files.'),
      })
      .prefault({})
      .describe('The archive of built reports, in the folder reports beside the database.'),
    scheduler: scheduler.prefault({}).describe('How jobs are run.'),
    health: z
      .strictObject({
        host: z.string().min(1).default('0.0.0.0').describe('Address to listen on.'),
        port: port.default(8080).describe('Port to listen on; 0 takes a free one, which the log names.'),
      })
      .prefault({})
      .describe('Where the health of the daemon is asked for.'),
    status: z
      .strictObject({
        enabled: z.boolean().default(true).describe('Whether the daemon serves the page.'),
        host: z
          .string()
          .min(1)
          .default('127.0.0.1')
          .describe('Address to listen on. The page shows figures and asks nobody for a password.'),
        port: port.default(8081).describe('Port to listen on; 0 takes a free one, which the log names.'),
        names: z
          .array(z.string().regex(/^[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)*$/, 'must be a host name, without a port'))
          .default([])
          .describe('Host names that the page is asked for by, beside addresses and localhost.'),
      })
      .prefault({})
      .describe('The status page of the daemon.'),
    log: z
      .strictObject({
        level: z
          .enum(['debug', 'info', 'warn', 'error', 'silent'])
          .default('info')
          .describe('How much is logged.'),
      })
      .prefault({})
      .describe('The log.'),
  })
  .describe('Settings of Tollkeeper: accounts, database, mail, teams.');

export type Settings = z.output<typeof settingsSchema>;
export type Account = Settings['accounts'][string];
