import { createPrivateKey } from 'node:crypto';
import { z } from 'zod';
import { address, domain, httpsUrl, secret, selector } from './fields.ts';

const isRsaKey = (pem: string): boolean => {
  try {
    const { asymmetricKeyType, asymmetricKeyDetails } = createPrivateKey(pem);
    return asymmetricKeyType === 'rsa' && (asymmetricKeyDetails?.modulusLength ?? 0) >= 1024;
  } catch {
    return false;
  }
};

const dkim = z.strictObject({
  domain: domain.describe('Domain that signs: that of `from`, or one above it.'),
  selector: selector.describe(
    'Name of the key: its public half stands in DNS at SELECTOR._domainkey.DOMAIN.',
  ),
  key: secret
    .refine((key) => isRsaKey(key.reveal()), {
      error: 'must be an RSA private key of at least 1024 bits as PEM, without a passphrase',
    })
    .describe('RSA private key as PEM, by reference: "${file:/run/secrets/dkim.pem}".'),
});

const oauth2 = z.strictObject({
  client_id: z.string().min(1).describe('Id of the application that was authorised to send.'),
  client_secret: secret.describe('Its secret, by reference.'),
  refresh_token: secret.describe('Refresh token of the mailbox that the user of `smtp` names, by reference.'),
  token_url: httpsUrl.describe('Where access tokens are given for it.').meta({
    examples: [
      'https://oauth2.googleapis.com/token',
      'https://login.microsoftonline.com/TENANT/oauth2/v2.0/token',
    ],
  }),
  scope: z.string().min(1).optional().describe('Asked for where the token server wants it named.'),
});

const listUnsubscribe = z
  .strictObject({
    mailto: address.optional().describe('Receives a mail with the subject `unsubscribe`.'),
    url: httpsUrl
      .optional()
      .describe(
        'Web address; `{recipient}` in it becomes the address of the recipient, and then one click is enough: mail programs post there.',
      ),
  })
  .refine(({ mailto, url }) => mailto !== undefined || url !== undefined, {
    error: 'must have mailto, url or both',
  });

/** Keys of `mail` that say how mails travel and what they carry. */
export const mailOptions = {
  reply_to: address.optional().describe('Where answers go; to the sender when left out.'),
  require_tls: z
    .boolean()
    .optional()
    .describe(
      'true refuses a server without STARTTLS everywhere. Otherwise one is taken in your own network alone (loopback, private addresses and names) and without a login.',
    ),
  insecure: z
    .boolean()
    .optional()
    .describe('true sends in the open, STARTTLS left alone, through a relay anywhere; without a login only.'),
  dkim: dkim.optional().describe('Signs mails (DKIM), for servers that do not.'),
  oauth2: oauth2.optional().describe('Logs in with OAuth 2.0 in place of a password.'),
  list_unsubscribe: listUnsubscribe.optional().describe('How recipients say that they want no more mails.'),
};

type MailOptions = {
  readonly smtp: string | { readonly reveal: () => string };
  readonly require_tls?: boolean | undefined;
  readonly insecure?: boolean | undefined;
  readonly oauth2?: object | undefined;
};

/** What the keys say together. */
export const contradictions = (
  mail: MailOptions,
): readonly { readonly key: string; readonly message: string }[] => {
  // Of an address that is at fault nothing more is said.
  const text = typeof mail.smtp === 'object' ? mail.smtp.reveal() : '';
  if (!URL.canParse(text)) return [];
  const { protocol, username, password } = new URL(text);
  const insecure = mail.insecure === true;
  return [
    ...(insecure && mail.require_tls === true
      ? [{ key: 'insecure', message: 'must be left out where require_tls is true' }]
      : []),
    ...(insecure && protocol === 'smtps:'
      ? [{ key: 'insecure', message: 'must be left out where the server is smtps://' }]
      : []),
    ...(insecure && username !== ''
      ? [
          {
            key: 'insecure',
            message: 'must be left out where smtp has a login, which is never sent in the open',
          },
        ]
      : []),
    ...(mail.oauth2 !== undefined && username === ''
      ? [
          {
            key: 'smtp',
            message:
              'must name the mailbox as its user where oauth2 logs in: smtp://reports%40example.com@mail.example.com:587',
          },
        ]
      : []),
    ...(mail.oauth2 !== undefined && password !== ''
      ? [{ key: 'smtp', message: 'must have no password where oauth2 logs in' }]
      : []),
  ];
};
