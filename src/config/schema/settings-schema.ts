import { z } from 'zod';
import { localeTags, logLevels, pricedTokens } from '../../core/index.ts';
import { account } from './account-schema.ts';
import {
  address,
  addressee,
  addresses,
  amount,
  byteSize,
  certificates,
  databaseUrl,
  httpsUrl,
  leaseDuration,
  name,
  path,
  positiveDuration,
  rate,
  secret,
  shapeOf,
  size,
  textName,
  smtpUrl,
  zone,
} from './fields.ts';
import { budgetSchema } from './budgets-schema.ts';
import { health, metrics, status } from './listeners-schema.ts';
import { contradictions, mailOptions } from './mail-options.ts';
import { fieldNotes } from './notes.ts';
import { routesOf, type ChannelKind } from './routes-schema.ts';

export const warehousePath = path
  .default('data/tollkeeper.duckdb')
  .describe('Path of the database file. The outbox, audit log and archives lie beside it.');

const warehouse = z.strictObject({
  path: warehousePath,
  memory_limit: size
    .optional()
    .describe(
      'Maximum memory of the database, and of the SQL of reports. If omitted, the memory of the container is divided; `tollkeeper check` prints the parts.',
    ),
  threads: z.int().min(1).max(256).default(2).describe('Maximum number of threads of the database.'),
  temp_directory: path.optional().describe('Folder for data that does not fit in memory.'),
  reports_directory: path
    .optional()
    .describe(
      'Folder of the report archive. Defaults to the folder reports beside the database. Replicas share reports in a folder that all of them mount.',
    ),
  archive: z
    .strictObject({
      path: path
        .optional()
        .describe(
          'Folder of the Parquet files of the call log. Defaults to the folder archive beside the database.',
        ),
      readable_by: z
        .enum(['owner', 'group'])
        .default('owner')
        .describe(
          'Who can read the archive: only the user Tollkeeper runs as, or also the group of the folder (files 0640, folders 0750).',
        ),
    })
    .optional()
    .describe('Where jobs of kind archive store the call log.'),
});

const backup = z.strictObject({
  before_migration: z
    .boolean()
    .default(true)
    .describe(
      'Whether a copy of the database is kept beside it before a new version migrates it: tollkeeper.schema-30.duckdb. Only the newest copy is kept.',
    ),
  identity: secret
    .optional()
    .describe(
      'Secret reference of an age identity, as age-keygen writes it, with which restore-drill jobs decrypt backups. Without it, they compare the checksums of encrypted backups.',
    ),
});

const mail = z
  .strictObject({
    smtp: smtpUrl.describe(
      'Mail server: smtp:// (with STARTTLS) or smtps://, with the password as a secret reference.',
    ),
    from: address.describe('Sender of all mails.'),
    operators: z
      .array(addressee)
      .default([])
      .describe('Recipients of notifications about problems: mail addresses or names of routes.'),
    ...mailOptions,
    attach_limit: byteSize
      .prefault('10MB')
      .describe(
        'Maximum encoded size of all attachments of a mail. Larger files are mentioned instead of attached.',
      ),
    files_url: httpsUrl
      .optional()
      .describe(
        'URL at which the folder reports beside the database is served. Mails then link to the files.',
      ),
    rate: rate.optional().describe('Maximum rate of mails. Unlimited if omitted.'),
    keep: positiveDuration
      .prefault('90d')
      .describe('How long the exact bytes of a mail are kept after it was sent. Unsent mails are kept.'),
    tls: z
      .strictObject({
        ca: certificates.describe('PEM file with additional certificate authorities to trust.'),
      })
      .describe('Trust in TLS certificates.')
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
    .describe('Names of the API keys that the team pays for; * matches any text.'),
  mail: addresses.optional().describe('Recipients of the reports of the team.'),
  budget: z
    .strictObject({ month: amount.describe('Amount per calendar month, in the currency of the account.') })
    .optional()
    .describe('Budget of the team.'),
});

const tagValue = (what: string) =>
  z
    .string()
    .min(1)
    .max(200)
    .transform((text) => text.normalize('NFC'))
    .optional()
    .describe(what);

const addressed = z.strictObject({
  mail: addresses.describe('Mail addresses.'),
});

const tagSet = z.strictObject({
  cost_center: tagValue('Cost center of these keys.'),
  environment: tagValue('Environment of these keys, such as production.'),
  product: tagValue('Product of these keys.'),
  owner: tagValue('Owner of these keys.'),
});

const price = z.strictObject({
  currency: z.enum(['USD', 'CNY']).default('USD').describe('Currency of these prices.'),
  ...shapeOf(pricedTokens, ({ price: name, label, otherwise }) => [
    name,
    amount
      .describe(
        `Price of a million tokens of ${label}${otherwise === undefined ? '' : `; defaults to ${otherwise}`}.`,
      )
      .optional(),
  ]),
});

const scheduler = z.strictObject({
  max_running: z
    .int()
    .min(1)
    .max(64)
    .default(4)
    .describe('Maximum number of jobs that run at the same time.'),
  grace: positiveDuration
    .prefault('8s')
    .describe('How long running jobs may take to finish when the daemon stops.'),
  suspend_after: z
    .int()
    .min(0)
    .max(100)
    .default(3)
    .describe(
      'How many times the process may end while a job runs before the job is suspended; a successful run starts the count again. Stops by SIGTERM or SIGINT, and ends because of a lost database, do not count. 0 never suspends.',
    ),
  lease: leaseDuration
    .prefault('10s')
    .describe(
      'With `database`: how long the lease of the working replica lasts. The replica extends it continuously; a standby takes over when the lease has expired.',
    ),
  keep_runs: positiveDuration.prefault('400d').describe('How long runs are kept in the run ledger.'),
});

const description = 'Settings of Tollkeeper: accounts, database, mail, teams.';

/** Schema of tollkeeper.yaml without any channel, for code that needs its other keys. */
export const settingsSchema = z
  .strictObject({
    timezone: zone.default('UTC').describe('Time zone of jobs that set none.'),
    locale: z
      .enum(localeTags)
      .default('en')
      .describe(
        'Language of mails: texts, numbers and dates of alerts, outages, keys, and reports that set none.',
      ),
    accounts: z.record(name, account).prefault({}).describe('Gateway accounts by name.'),
    warehouse: warehouse.prefault({}).describe('The database.'),
    database: databaseUrl
      .optional()
      .describe(
        'Database of PostgreSQL 13 or later that holds the data in place of the database file: postgres://, with the password as a secret reference. TLS is set with sslmode (disable, require, verify-ca, verify-full) and sslrootcert in the URL. Mails, reports and the audit log still lie in the folder of warehouse.path.',
      ),
    database_timeout: positiveDuration
      .prefault('10m')
      .describe(
        'With `database`: how long a statement may run without sending or receiving a byte. After that it fails, and its connection is closed. A connection that says nothing, while the server does not work on its statement, is closed after two thirds of `scheduler.lease` at most.',
      ),
    backup: backup.prefault({}).describe('Copies of the data.'),
    mail: mail.optional().describe('Mail server and sender.'),
    routes: routesOf([]),
    teams: z.record(textName, team).prefault({}).describe('Cost owners: teams by name.'),
    tags: z
      .record(z.string().min(1).max(100), tagSet)
      .prefault({})
      .describe(
        'Tags of API keys and services by name. * matches any text. For each tag, the most specific pattern that gives it applies.',
      ),
    owners: z
      .record(z.string().min(1).max(200), addressed)
      .prefault({})
      .describe(
        'Mail addresses of owners, by the value of the tag `owner`. Owners receive notifications about old keys that are still in use, and reports with `to: [each_owner]`.',
      ),
    cost_centers: z
      .record(z.string().min(1).max(200), addressed)
      .prefault({})
      .describe(
        'Mail addresses of cost centers, by the value of the tag `cost_center`. Cost centers receive reports with `to: [each_cost_center]`.',
      ),
    budgets: z
      .record(textName, budgetSchema)
      .prefault({})
      .describe('Budgets by name. Jobs of kind alert notify of them.'),
    prices: z
      .record(z.string().min(1), price)
      .prefault({})
      .describe(
        'Prices by model name. * matches any text, and the most specific name applies. Reports use them for the cost of each class of tokens and the savings by caching.',
      ),
    rates: z
      .partialRecord(
        z.enum(['USD', 'CNY']),
        amount.refine((rate) => rate !== '0', { error: 'must be above 0' }),
      )
      .prefault({})
      .describe(
        'Exchange rates for the report accounts: value of one unit of a currency in the other one, such as { CNY: "0.1389" }. Defaults to the rate in the figures of the gateway.',
      ),
    archive_reports: z
      .strictObject({
        keep: positiveDuration.prefault('400d').describe('How long built reports and their files are kept.'),
      })
      .prefault({})
      .describe('Report archive, in `warehouse.reports_directory`.'),
    scheduler: scheduler.prefault({}).describe('How jobs run.'),
    health: health.prefault({}).describe('Health endpoint of the daemon.'),
    status: status.prefault({}).describe('Status page of the daemon.'),
    metrics: metrics.prefault({}).describe('Metrics of the daemon for Prometheus.'),
    log: z
      .strictObject({
        level: z
          .enum(logLevels)
          .default('info')
          .describe(
            'Minimum level of log messages. The environment variable TOLLKEEPER_LOG_LEVEL overrides it.',
          ),
      })
      .prefault({})
      .describe('The log.'),
  })
  .describe(description);

/** Schema of tollkeeper.yaml. */
export const settingsSchemaOf = (channels: readonly ChannelKind[]): typeof settingsSchema =>
  settingsSchema
    .extend({ routes: routesOf(channels) })
    .describe(description)
    .register(fieldNotes, {
      moved: { jobs: 'move it to a file in the folder jobs/, such as jobs/jobs.yaml' },
    });

export type Settings = z.output<typeof settingsSchema>;
export type Account = Settings['accounts'][string];
