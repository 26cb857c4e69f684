import type { Announcement } from './announcement.ts';
import { enqueue, type Enqueued, type Mail } from './enqueue.ts';
import { enqueuePost, type PostDeps } from './post.ts';

/** The paragraphs of wrapped text: a field is indented by two spaces, its continuation by more. */
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

const noticeOf = ({ key, subject, text }: Mail): Announcement => ({
  kind: 'notice',
  title: subject,
  subject,
  ...(key.account === '' ? {} : { account: key.account }),
  sections: [{ kind: 'text', paragraphs: paragraphsOf(text) }],
  footer: [],
});

/**
 * Enqueues a mail for the addresses among its recipients, and a message for the routes. Sends nothing.
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
