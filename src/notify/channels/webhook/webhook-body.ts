import type { Announcement } from '../../announcement.ts';

export type Envelope = {
  /** Unchanged in every retry, so that a receiver can detect duplicates. */
  readonly id: string;
  readonly at: number;
};

/** Snake case like the JSON of the gateway; amounts are text, since a JSON number would be parsed as a float. */
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
