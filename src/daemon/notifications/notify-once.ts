import type { UnixMillis } from '../../core/index.ts';
import type { Mail } from '../../notify/index.ts';

type Findings<Finding> = {
  /** Oldest first. */
  readonly pending: () => Promise<readonly Finding[]>;
  /** Nothing where there is nobody to tell: it counts as told all the same. */
  readonly mailOf: (findings: readonly Finding[]) => Mail | undefined;
  readonly send: (mails: readonly Mail[]) => Promise<void>;
  readonly told: (through: UnixMillis) => Promise<void>;
  readonly failed: (error: unknown) => void;
};

/** Enqueues one mail of what was noted and not told yet, and notes that it is; never rejects. */
export const notifyOnce = async <Finding extends { readonly notedAt: UnixMillis }>({
  pending,
  mailOf,
  send,
  told,
  failed,
}: Findings<Finding>): Promise<void> => {
  try {
    const findings = await pending();
    const last = findings.at(-1);
    if (last === undefined) return;
    const mail = mailOf(findings);
    await send(mail === undefined ? [] : [mail]);
    await told(last.notedAt);
  } catch (error) {
    failed(error);
  }
};
