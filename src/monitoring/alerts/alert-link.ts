import { z } from 'zod';
import { readSigned, signText, unixMillis, type UnixMillis } from '../../core/index.ts';

/** How long a link works. */
export const alertLinkDays = 7;

/** What a link in an alert mail allows: to acknowledge or mute this alert, once, until it expires. */
export type AlertLink = {
  readonly account: string;
  readonly alert: string;
  /** Of the mail. */
  readonly id: string;
  readonly expiresAt: UnixMillis;
};

const linkSchema = z.strictObject({
  account: z.string(),
  alert: z.string(),
  id: z.string(),
  expiresAt: z.int().transform(unixMillis),
});

/** Anyone with the link can use it: it must reach only the recipients of the mail. */
export const signAlertLink = ({ account, alert, id, expiresAt }: AlertLink, key: Buffer): string =>
  signText(JSON.stringify({ account, alert, id, expiresAt }), key);

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** The link, or why it is refused. */
export const readAlertLink = (
  signed: string,
  key: Buffer,
  now: UnixMillis,
): AlertLink | 'invalid' | 'expired' => {
  const text = readSigned(signed, key);
  const link = text === undefined ? undefined : linkSchema.safeParse(parsed(text)).data;
  if (link === undefined) return 'invalid';
  return link.expiresAt <= now ? 'expired' : link;
};
