import type { Announcement } from '../../announcement.ts';

/** What every body of a webhook says of itself. */
export type Envelope = {
  /** The same each time that the same is sent: whoever has seen it need not look again. */
  readonly id: string;
  readonly at: number;
};

/** Snake case as all JSON that the gateway's users know, amounts as text: a JSON number would be read as a float. */
export const webhookBody = (said: Announcement, { id, at }: Envelope): string =>
  JSON.stringify({
    version: 1,
    id,
    created_at: new Date(at).toISOString(),
    kind: said.kind,
    title: said.title,
    subject: said.subject,
    account: said.account ?? null,
    period: said.period ?? null,
    currency: said.currency ?? null,
    total: said.total ?? null,
    change: said.change ?? null,
    cause: said.cause ?? null,
    verdict: said.verdict ?? null,
    sections: said.sections,
    footer: said.footer,
    run_id: said.runId ?? null,
  });
