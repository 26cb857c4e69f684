import { shellWord } from '../../core/index.ts';
import { describeHead } from '../../keys/index.ts';
import type { SkippedKey } from '../../keys/index.ts';
import { notify } from '../../notify/index.ts';
import { renderAlertEmail } from '../../reports/index.ts';
import type { JobContext } from '../job-kind.ts';
import { nobodyPays } from '../cost-owners.ts';

/** Reasons for which a key is never rotated until a person gives its service another name. */
const aboutNames: ReadonlySet<SkippedKey['reason']> = new Set(['name-too-long', 'service-unusable']);

/** Notifies operators, once for each service, that its key cannot get a successor because of its name. */
export const notifyOfNames = async (skipped: readonly SkippedKey[], context: JobContext): Promise<void> => {
  const { mail, account, warehouse, clock, name: job, costOwners = nobodyPays } = context;
  if (mail === undefined || costOwners.operators.length === 0) return;
  const audit = await warehouse.keys.last();
  for (const { service, name, message, reason } of skipped) {
    if (!aboutNames.has(reason)) continue;
    const title = `the key ${name} cannot be rotated because of its name`;
    const subject = `Tollkeeper: ${title}`;
    await notify(
      { outbox: warehouse.outbox, clock, ...mail, kinds: mail.kinds ?? new Map() },
      {
        key: { account: account.name, kind: 'keys', subject: `${reason}/${service}` },
        from: mail.from,
        to: costOwners.operators,
        subject,
        ...renderAlertEmail({
          subject,
          title,
          tone: 'bad',
          preview: message,
          blocks: [
            {
              heading: name,
              tone: 'bad',
              lines: [
                ['What', message],
                [
                  'What to do',
                  `\`tollkeeper keys adopt ${shellWord(name)} --service SHORTER --generation 1 --move\`, or a shorter \`name\` template in job ${job}.`,
                ],
              ],
            },
          ],
          closing: [
            'The key remains valid, and gets no successor until then. No further mail is sent about this.',
            ...(audit === undefined ? [] : [describeHead(audit)]),
          ],
        }),
      },
    );
  }
};
