import type { Announcement } from './announcement.ts';
import { enqueue, type Enqueued, type Mail } from './enqueue.ts';
import { enqueuePost, type PostDeps } from './post.ts';

/** The paragraphs of a text that was broken into lines: a field begins two spaces in, and goes on deeper. */
const paragraphsOf = (text: string): readonly string[] =>
  text
    .split(/\r?\n[ \t]*\r?\n/)
    .flatMap((block) => block.split(/\r?\n(?= {2}\S)/))
    .map((lines) =>
      lines
        .split('\n')
        .map((line) => line.trim())
        .join(' ')
        .trim(),
    )
    .filter((paragraph) => paragraph !== '');

/** What routes are told of a mail that is no report: its subject, and its text. */
const noticeOf = ({ key, subject, text }: Mail): Announcement => ({
  kind: 'notice',
  title: subject,
  subject,
  ...(key.account === '' ? {} : { account: key.account }),
  sections: [{ kind: 'text', paragraphs: paragraphsOf(text) }],
  footer: [],
});

/**
 * Queues a mail for the addresses among its recipients and a message for the names of routes. Sends nothing.
 * @throws Fault `mail-address-invalid`, `config-invalid`, `disk-full`, `path-unwritable`
 */
export const notify = async (
  deps: PostDeps,
  mail: Mail,
  announcement: Announcement = noticeOf(mail),
): Promise<readonly Enqueued[]> => {
  const addresses = mail.to.filter((one) => one.includes('@'));
  const routes = mail.to.filter((one) => !one.includes('@'));
  const mailed = addresses.length === 0 ? [] : await enqueue(deps, { ...mail, to: addresses });
  const posted =
    routes.length === 0 ? [] : await enqueuePost(deps, { key: mail.key, announcement, to: routes });
  return [...mailed, ...posted];
};
