import { isolateNames, type Mailbox, type UnixMillis } from '../core/index.ts';
import { oneLine } from './address.ts';
import { signMessage } from './dkim.ts';
import type { Parents } from './draft.ts';
import { automaticHeaders, type MessageDefaults } from './message-defaults.ts';

/** An image that the HTML refers to by `cid:`. */
export type InlineImage = {
  readonly cid: string;
  readonly filename: string;
  readonly png: Uint8Array;
};

export type Attachment = {
  readonly filename: string;
  readonly contentType: string;
  readonly content: Uint8Array;
};

/** The bytes of an attachment in transit: base64 in lines of 76 characters. */
export const sizeInTransit = (bytes: number): number => Math.ceil(bytes / 57) * 78;

export type MailContent = {
  readonly subject: string;
  readonly html: string;
  readonly text: string;
  readonly images?: readonly InlineImage[];
  readonly attachments?: readonly Attachment[];
};

export type Message = MailContent & {
  readonly from: Mailbox;
  readonly to: Mailbox;
  readonly messageId: string;
  readonly parents?: Parents | undefined;
  readonly date: UnixMillis;
  readonly messageDefaults?: MessageDefaults;
};

/** As bytes, since the composer treats an empty string as missing. */
const crlf = (text: string): Buffer => Buffer.from(text.replaceAll(/\r\n|\r|\n/g, '\r\n'), 'utf8');

/** Slashes would make the name a path. */
const fileName = (name: string): string => oneLine(name).replaceAll(/[/\\]/g, '-') || 'attachment';

/** RFC 5322 3.6.4: each parent is named, but a mail with several has no References. */
const threadHeaders = (parents: Parents) => ({
  ...(parents.length === 0 ? {} : { inReplyTo: parents.join(' ') }),
  ...(parents.length === 1 ? { references: [...parents] } : {}),
});

/**
 * RFC 5322 with CRLF, signed if the message defaults have a key. The same message gives the same bytes at any time.
 * @throws Fault `config-invalid` when it cannot be signed
 */
export const composeMessage = async (message: Message): Promise<Buffer> => {
  const { messageDefaults = {} } = message;
  const { replyTo, dkim } = messageDefaults;
  const { default: MailComposer } = await import('nodemailer/lib/mail-composer');
  const composer = new MailComposer({
    from: { name: message.from.name, address: message.from.address },
    to: { name: message.to.name, address: message.to.address },
    subject: isolateNames(oneLine(message.subject)) || '(no subject)',
    messageId: message.messageId,
    ...threadHeaders(message.parents ?? []),
    date: new Date(message.date),
    ...(replyTo === undefined ? {} : { replyTo: { name: replyTo.name, address: replyTo.address } }),
    headers: automaticHeaders(messageDefaults, message.to.address),
    // Quoted-printable keeps lines short and bytes below 128 for any text.
    text: { content: crlf(isolateNames(message.text)), contentTransferEncoding: 'quoted-printable' },
    html: { content: crlf(isolateNames(message.html)), contentTransferEncoding: 'quoted-printable' },
    attachments: [
      ...(message.images ?? []).map((image) => ({
        cid: image.cid,
        filename: fileName(image.filename),
        content: Buffer.from(image.png),
        contentType: 'image/png',
        contentDisposition: 'inline',
      })),
      ...(message.attachments ?? []).map((attachment) => ({
        filename: fileName(attachment.filename),
        content: Buffer.from(attachment.content),
        contentType: oneLine(attachment.contentType),
      })),
    ],
    // The default boundaries are random, so the bytes would differ each time.
    baseBoundary: message.messageId.replaceAll(/[^A-Za-z0-9]/g, '').slice(0, 32),
    newline: 'win',
    // Content is passed as bytes only, so that a report cannot make the composer read a path or URL.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const bytes = await composer.compile().build();
  return dkim === undefined ? bytes : signMessage(bytes, dkim);
};
