import type { OutboxEntry, OutboxTable } from '../storage/index.ts';
import type { Announcement } from './announcement.ts';
import type { RouteKind } from './channels/registry.ts';
import { storeDrafts, type Draft, type DraftDeps } from './draft.ts';
import { mailDrafts, type Mail } from './mail-drafts.ts';
import type { MessageDefaults } from './message-defaults.ts';
import { routeDrafts } from './route-drafts.ts';

const noticeOf = ({ key, subject, paragraphs = [subject] }: Mail): Announcement => ({
  kind: 'notice',
  title: subject,
  subject,
  ...(key.account === '' ? {} : { account: key.account }),
  sections: [{ kind: 'text', paragraphs }],
  footer: [],
});

export type NotifyDeps = DraftDeps & {
  readonly messageDefaults?: MessageDefaults | undefined;
  readonly kinds?: ReadonlyMap<string, RouteKind> | undefined;
};

const draftsOf = (
  { clock, messageDefaults, kinds = new Map() }: NotifyDeps,
  mail: Mail,
  announcement: Announcement,
): readonly Draft[] => {
  const addresses = mail.to.filter((one) => one.includes('@'));
  const routes = mail.to.filter((one) => !one.includes('@'));
  const now = clock.now();
  return [
    ...(addresses.length === 0 ? [] : mailDrafts({ ...mail, to: addresses }, now, messageDefaults)),
    ...routeDrafts(mail.key, announcement, routes, now, kinds),
  ];
};

/**
 * Renders a mail for each address among the recipients, and a message for each route, and stores their bytes. Returns the
 * rows that are not in the outbox, to be stored together with what they are about.
 * @throws Fault `mail-address-invalid`, `config-invalid`, `disk-full`, `path-unwritable`
 */
export const prepare = async (
  deps: NotifyDeps,
  mail: Mail,
  announcement: Announcement = noticeOf(mail),
): Promise<readonly OutboxEntry[]> => storeDrafts(deps, draftsOf(deps, mail, announcement));

/** `known`: the message was enqueued before, nothing was written. */
export type Enqueued = { readonly recipient: string; readonly state: 'queued' | 'known' };

/** Enqueues what `prepare` returns: each key and recipient once. Sends nothing. @throws as `prepare` */
export const notify = async (
  deps: NotifyDeps & { readonly outbox: Pick<OutboxTable, 'put'> },
  mail: Mail,
  announcement: Announcement = noticeOf(mail),
): Promise<readonly Enqueued[]> => {
  const drafts = draftsOf(deps, mail, announcement);
  const queued = new Set(
    (await deps.outbox.put(await storeDrafts(deps, drafts))).map(({ recipient }) => recipient),
  );
  return drafts.map(({ recipient }) => ({ recipient, state: queued.has(recipient) ? 'queued' : 'known' }));
};
