import { z } from 'zod';
import { callLogColumns, isLoopback, rowKinds, timeForms } from '../../core/index.ts';
import {
  adminKey,
  amount,
  certificates,
  date,
  hasBadPort,
  positiveDuration,
  shapeOf,
  zone,
} from './fields.ts';
import { fieldNotes } from './notes.ts';

const baseUrlMessage = 'a web address such as https://gateway.example.com';

const isBaseUrl = (text: string): boolean => {
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) return false;
  const url = new URL(text);
  return url.username + url.password + url.search + url.hash === '';
};

/** `/api`, `/v1/chat/completions`: paths that the client appends itself, and would otherwise repeat. */
const endsBeforeApi = (text: string): boolean =>
  !/\/(api|v\d+((alpha|beta)\d*)?)(\/|$)/i.test(new URL(text).pathname);

const isSecure = (text: string): boolean => {
  const url = new URL(text);
  return url.protocol === 'https:' || isLoopback(url.hostname);
};

const columnNames = shapeOf(callLogColumns, ({ name, meaning }) => [
  name,
  z.string().min(1).describe(`Name of the column in the header of the log export: ${meaning}.`).optional(),
]);

const gateway = z.strictObject({
  columns: z
    .strictObject(columnNames)
    .describe(
      'Header names of the log export, by their meaning: { quota: charge_usd }. Only the given name is accepted for a column; the others are learned from the data.',
    )
    .optional(),
  kinds: z
    .record(z.string().min(1), z.enum(rowKinds))
    .describe(
      'Meaning of the words or numbers in the kind column of the log export. Only consumption and refund are spend. Applies to rows that land from now on.',
    )
    .optional(),
  title_lines: z
    .int()
    .min(0)
    .max(19)
    .describe('Number of lines before the header of the log export. If omitted, the header is searched for.')
    .optional(),
  total_line: z
    .boolean()
    .describe(
      'Whether the log export ends with a line of totals. If true, a missing one is an error; if false, every line is a row; if omitted, this is learned from the data.',
    )
    .optional(),
  guards: z
    .boolean()
    .describe(
      'Whether cells of the log export start with an apostrophe that protects spreadsheets, which is then removed. If omitted, this is learned from the data.',
    )
    .optional(),
  timestamps: z
    .enum(['auto', ...timeForms])
    .describe('Format of created_at in the log export; auto learns it from the data.')
    .optional(),
  naive_zone: zone.describe('Time zone of timestamps in the log export that have none.').optional(),
  amounts: z
    .enum(['auto', 'currency', 'units'])
    .describe(
      'Whether amounts are in currency or in integer units. With auto, this is learned from the data, and reports show no amounts until it is proven.',
    )
    .optional(),
  round_amounts: z
    .literal(12)
    .describe(
      'Rounds amounts in a currency with more than 12 decimals, row by row and half to even, where the gateway writes floating-point numbers such as 0.0016150000000000001. Sums then agree with other sources within rounding, never exactly. If omitted, such amounts are an error.',
    )
    .optional(),
  units_per_currency: z
    .int()
    .min(1)
    .describe(
      'Number of integer units in 1 unit of the currency of the account. If omitted, 500000 units are 1 US dollar in any currency.',
    )
    .optional(),
  usage_zone: zone.describe('Time zone in which the days of the usage export start.').optional(),
  token_convention: z
    .record(z.string().min(1), z.enum(['includes_cache', 'excludes_cache']))
    .describe(
      'Whether prompt tokens include cached and cache-write tokens (includes_cache) or not (excludes_cache), by model name. * matches any text, and the most specific name applies. Other models are learned from the data.',
    )
    .optional(),
  output_convention: z
    .record(z.string().min(1), z.enum(['includes_reasoning', 'excludes_reasoning']))
    .describe(
      'Whether completion tokens include reasoning tokens (includes_reasoning) or not (excludes_reasoning), by model name. * matches any text, and the most specific name applies. Other models are learned from the data.',
    )
    .optional(),
});

const timeouts = z.strictObject({
  connect: positiveDuration.describe('Until the connection is established.').optional(),
  headers: positiveDuration.describe('Until the headers of the answer arrive.').optional(),
  idle: positiveDuration.describe('Between two chunks of an answer.').optional(),
  total: positiveDuration
    .describe(
      'For one request as a whole. Defaults to 60s for a page of keys, the profile and statistics, and to 1h for exports and new keys.',
    )
    .optional(),
});

const focusName = z.string().min(1).max(200);

/** Names in an export for accounting that the gateway does not give. */
const focus = z.strictObject({
  issuer: focusName.describe('Who sends the invoice. Defaults to `provider`.').optional(),
  provider: focusName.describe('Whose service the gateway is. Defaults to the host of base_url.').optional(),
  account_id: focusName
    .describe('ID of the billing account. Defaults to the name of the account.')
    .optional(),
  account_name: focusName
    .describe('Display name of the billing account. Defaults to the name of the account.')
    .optional(),
  service: focusName.describe('Name of the service. Defaults to LLM gateway.').optional(),
});

const accountNumber = z.string().min(1).max(40);

/** How the spend of a closed month is posted (report `journal`). */
const journal = z.strictObject({
  credit: accountNumber.describe('Number of the account that is credited with the total, as text.'),
  by: z
    .enum(['cost_center', 'team'])
    .default('cost_center')
    .describe('By what spend is debited: the tag cost_center of keys, or teams.'),
  accounts: z
    .record(z.string().min(1).max(200), accountNumber)
    .default({})
    .describe(
      'Numbers of the accounts that are debited, by cost center or team, such as { "4711": "6815" }.',
    ),
  other: accountNumber.describe(
    'Number of the account that is debited for all others, and for spend without a cost center or team.',
  ),
});

/** A gateway account. */
export const account = z.strictObject({
  base_url: z
    .string()
    .refine(isBaseUrl, {
      error: ({ input }) =>
        hasBadPort(input) ? 'must have a port from 1 to 65535' : `must be ${baseUrlMessage}`,
      abort: true,
    })
    .refine(endsBeforeApi, {
      error: 'must be the address of the gateway without the path of its API',
      abort: true,
    })
    .refine(isSecure, {
      error: 'must be https because it receives the Admin Key; http is accepted only on loopback',
    })
    .register(fieldNotes, {
      description: baseUrlMessage,
      advice: 'write only the https address, such as https://gateway.example.com',
    })
    .describe('Address of the gateway; https, except on loopback.'),
  admin_key: adminKey.describe('Secret reference of the Admin Key: "${GATEWAY_ADMIN_KEY}".'),
  admin_key_issued: date
    .optional()
    .describe(
      'Day on which the Admin Key was issued. Operators are reminded once it is older than admin_key_max_age.',
    ),
  admin_key_max_age: positiveDuration
    .prefault('90d')
    .describe('Age at which the Admin Key should be replaced. Only a person can do that, at the gateway.'),
  currency: z.enum(['USD', 'CNY']).default('USD').describe('Currency in which the log export is requested.'),
  tls: z
    .strictObject({ ca: certificates.describe('PEM file with additional certificate authorities to trust.') })
    .describe('Trust in TLS certificates.')
    .optional(),
  timeouts: timeouts.describe('Timeouts of requests to the gateway.').optional(),
  budget: z
    .strictObject({ month: amount.describe('Amount per calendar month, in the currency of the account.') })
    .optional()
    .describe('Budget of the account.'),
  focus: focus.describe('Names in exports for accounting (`tollkeeper focus`).').optional(),
  journal: journal.describe('How its spend is posted by the report `journal`.').optional(),
  gateway: gateway
    .describe(
      'How this gateway handles the open points of the gateway contract. Settings override what Tollkeeper learns from the data.',
    )
    .prefault({}),
});
