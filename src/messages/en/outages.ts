import { countText, formatMoment, formatSlot, rangeText } from '../../core/index.ts';
import type { OutageTexts } from '../outage-texts.ts';

const askOperator = 'Ask the operator of the gateway whether this change is intended.';

export const englishOutages: OutageTexts = {
  at: formatSlot,
  range: rangeText.seconds,
  period: ({ start, end }, zone) => `${formatMoment(start, zone)} to ${formatMoment(end, zone)}`,
  job: {
    failed: (job) => `${job} failed`,
    suspended: (job) => `${job} is suspended`,
    missed: (job) => `${job} missed a slot`,
    late: (job) => `${job} ran late`,
    recovered: (job) => `${job} recovered`,
  },
  jobs: {
    failed: (count) => `${countText(count, 'job')} failed`,
    suspended: (count) => (count === 1 ? '1 job is suspended' : `${count} jobs are suspended`),
    missed: (count) => (count === 1 ? '1 job missed a slot' : `${count} jobs missed slots`),
    late: (count) => `${countText(count, 'job')} ran late`,
    recovered: (count) => `${countText(count, 'job')} recovered`,
  },
  manualRun: (command) => `\`${command}\` runs this slot manually`,
  details: (job) =>
    `\`tollkeeper runs ${job}\` shows every attempt; \`tollkeeper status\` shows the status of all jobs.`,
  noFurther: (job, isMailed) =>
    `No further mail is sent about ${job} until it recovers.${isMailed ? ' A mail is sent when it recovers.' : ''}`,
  closingOfMany: [
    '`tollkeeper status` and `tollkeeper runs JOB` show details.',
    'No further mail is sent about a failing job until it recovers.',
  ],
  adminKey: {
    title: (account, days) => `the Admin Key of ${account} is ${days} days old`,
    what: (issued, due) => `It was issued on ${issued} and was due for replacement on ${due}.`,
    toDo: 'Issue a new Admin Key at the gateway, store it where admin_key of the account points, set admin_key_issued to its issue date, and revoke the old one. Tollkeeper cannot rotate it: the gateway does not allow an Admin Key to change an Admin Key.',
    closing: 'The next reminder is sent in 30 days.',
  },
  config: {
    title: (faults) => `the new config has ${countText(faults, 'fault')}; the previous config remains active`,
    closing: (at) => [
      `Found ${at}. Jobs continue with the previous config. The new config is applied automatically once it is fixed.`,
      'Run `tollkeeper check` to validate the config.',
    ],
  },
  gap: {
    title: (account, isShort) =>
      `the call log of ${account} ${isShort ? 'is missing charges' : 'does not reconcile'}`,
    heading: ({ source, verdict }) => `${source}: ${verdict}`,
    found: ({ text }) => text,
    short: (compare, again) =>
      `The missing rows were requested again, in smaller windows as well (max_requests), and completed days are pulled again automatically (revisit)${again === undefined ? '' : `; \`${again}\` pulls it again immediately`}. \`${compare}\` shows what is still missing.`,
    differs: (compare) =>
      `\`${compare}\` compares every source with the log, by model and key. If the difference remains unexplained, contact the operator of the gateway.`,
    closing: [
      'The rows that the gateway returned are stored. Reports that cover this period are marked as not reconciled.',
      'No further mail is sent about a source while its difference persists.',
    ],
  },
  late: {
    title: (account, range) => `The call log of ${account} ${range} lags behind the gateway`,
    what: (sum, pulls) =>
      `The gateway's sum is ${sum}, and the log still has less after ${countText(pulls, 'pull')} on different days.`,
    toDo: '`tollkeeper reconcile` with this time range; ask the provider for the rows.',
    closing:
      'The time range is pulled again when its sum at the gateway changes. No further mail is sent about this sum.',
  },
  learned: {
    title: (account, changes) => `the call log of ${account} has changed: ${changes}`,
    counts: {
      'column-appeared': (count) => countText(count, 'new column'),
      'column-gone': (count) => countText(count, 'removed column'),
      'amounts-changed': (count) => countText(count, 'amount format change'),
      'usage-unit': (count) => countText(count, 'usage export change'),
      'kind-unknown': (count) => countText(count, 'unknown row kind'),
      'rollup-differs': (count) =>
        count === 1 ? '1 repair of the rollup' : `${count} repairs of the rollup`,
    },
    changes: {
      'column-appeared': ({ name, role }) => ({
        heading: `New column ${name}`,
        seen:
          role === ''
            ? 'It is stored as text with each row and is not included in any total.'
            : `It is recognized as ${role} and counted as such.`,
        toDo: 'No action is required. Reports show the columns that they define.',
      }),
      'column-gone': ({ name, role }) => ({
        heading: `Column ${name} was removed`,
        seen:
          role === ''
            ? 'The gateway no longer exports it. Existing values are retained.'
            : `The gateway no longer exports the column recognized as ${role}. From now on its value is unknown, not zero.`,
        toDo: askOperator,
      }),
      'amounts-changed': ({ name, from, form: how }, at) => {
        const form = name === 'units' ? 'integer units' : 'currency';
        return {
          heading: `Amounts are now in ${form}`,
          seen: `Starting with the window at ${at(from)}, the gateway exports amounts in ${form}, as the charges of the same models show. ${
            how === 'stored'
              ? 'They are stored unconverted, as before the earlier change.'
              : 'They are converted to the form of the earlier amounts so that totals stay correct.'
          }`,
          toDo: `${askOperator} To decide it yourself, set gateway.amounts of the account.`,
        };
      },
      'usage-unit': ({ name, from, form }, at) =>
        form === 'stored'
          ? {
              heading: `The usage export by ${name} uses its previous unit again`,
              seen: `From ${at(from)} on, its figures are stored unconverted.`,
              toDo: 'No action is required.',
            }
          : {
              heading: `The usage export by ${name} is now in ${form === 'units' ? 'integer units' : 'a currency'}`,
              seen: `From ${at(from)} on, its figures differ from the earlier ones by the ratio of integer units to currency. They are converted to the unit of the stored figures.`,
              toDo: askOperator,
            },
      'kind-unknown': ({ name, evidence }) => ({
        heading: `Unknown row kind ${name}`,
        seen: `${evidence}. These rows are shown separately and are counted neither as spend nor as refunds.`,
        toDo: 'Ask the operator of the gateway what these rows mean. If they are charges, the reported spend is too low.',
      }),
      'rollup-differs': ({ name: zone, days, first }) => ({
        heading: 'The rollup differed from the call log',
        seen: `The sums of ${countText(days, 'day')}, the first of them ${first} (${zone}), differed from their calls. They were built again from the calls.`,
        toDo: 'Reports and alerts of these days since the last comparison may have been wrong: build them again with `tollkeeper run`. Find out what changed the database: a copy that was restored in part, a file edited by hand, or a faulty disk.',
      }),
    },
    closing: [
      'Pulls continue as before. `tollkeeper doctor` shows everything learned about the gateway, with the evidence.',
      'No further mail is sent about these changes.',
    ],
  },
};
