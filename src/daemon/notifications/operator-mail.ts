import { createHash } from 'node:crypto';
import type { Mail } from '../../notify/index.ts';
import { renderAlertEmail } from '../../reports/index.ts';
import type { AlertBlock } from '../../reports/index.ts';

/** Much to tell at once still makes a mail that can be read. */
const maxBlocks = 40;

type Told = {
  readonly key: Mail['key'];
  readonly title: string;
  readonly blocks: readonly AlertBlock[];
  readonly closing: readonly string[];
};

/** A letter to operators; bad news when any of its blocks is, shown or not. */
export const operatorMail = (
  { key, title, blocks: all, closing }: Told,
  from: string,
  to: readonly string[],
): Mail => {
  const blocks = all.slice(0, maxBlocks);
  const more = all.length - blocks.length;
  const subject = `Tollkeeper: ${title}`;
  return {
    key,
    from,
    to,
    subject,
    ...renderAlertEmail({
      subject,
      title,
      tone: all.some(({ tone }) => tone === 'bad') ? 'bad' : 'good',
      preview: blocks[0]?.lines[0]?.[1] ?? title,
      blocks,
      closing: [...(more > 0 ? [`… and ${more} more.`] : []), ...closing],
    }),
  };
};

/** Names what is reported, so that it is sent once. */
export const fingerprint = (parts: readonly unknown[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 16);
