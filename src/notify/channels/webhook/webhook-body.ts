import type { Announcement } from '../../announcement.ts';

/** What every body of a webhook says of itself. */
export type Envelope = {
  /** The same each time that the same is sent: whoever has seen it need not look again. */
  readonly id: string;
  readonly at: number;
};

/** Snake case as all JSON that the gateway's users know, amounts as text: a JSON number would be read as a float. */
export const webhookBody = (announcement: Announcement, { id, at }: Envelope): string =>
  JSON.stringify({
    version: 1,
    id,
    created_at: new Date(at).toISOString(),
    kind: announcement.kind,
    title: announcement.title,
    subject: announcement.subject,
    account: announcement.account ?? null,
    period: announcement.period ?? null,
    currency: announcement.currency ?? null,
    total: announcement.total ?? null,
    change: announcement.change ?? null,
    cause: announcement.cause ?? null,
    verdict: announcement.verdict ?? null,
    sections: announcement.sections,
    footer: announcement.footer,
    run_id: announcement.runId ?? null,
  });
