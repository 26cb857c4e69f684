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
  domain: domain.describe('Signing domain: the domain of `from`, or a parent of it.'),
  selector: selector.describe(
    'Name of the key. Its public part is published in DNS at SELECTOR._domainkey.DOMAIN.',
  ),
  key: secret
    .refine((key) => isRsaKey(key.reveal()), {
      error: 'must be an RSA private key of at least 1024 bits as PEM, without a passphrase',
    })
    .describe('Secret reference of the RSA private key in PEM format: "${file:/run/secrets/dkim.pem}".'),
});

const oauth2 = z.strictObject({
  client_id: z.string().min(1).describe('ID of the application that is authorized to send.'),
  client_secret: secret.describe('Secret reference of the client secret.'),
  refresh_token: secret.describe(
    'Secret reference of the refresh token for the mailbox that is the user in `smtp`.',
  ),
  token_url: httpsUrl.describe('URL of the token endpoint.').meta({
    examples: [
      'https://oauth2.googleapis.com/token',
      'https://login.microsoftonline.com/TENANT/oauth2/v2.0/token',
    ],
  }),
  scope: z.string().min(1).optional().describe('Scope to request, if the token endpoint requires one.'),
});

const listUnsubscribe = z
  .strictObject({
    mailto: address.optional().describe('Address that receives a mail with the subject `unsubscribe`.'),
    url: httpsUrl
      .optional()
      .describe(
        'URL to unsubscribe. If it contains `{recipient}`, that becomes the address of the recipient, and mail programs offer one-click unsubscription with a POST.',
      ),
  })
  .refine(({ mailto, url }) => mailto !== undefined || url !== undefined, {
    error: 'must have mailto, url or both',
  });

/** Keys of `mail` for the transport and content of mails. */
export const mailOptions = {
  ehlo: z
    .string()
    .regex(
      /^(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?)(?:\.[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?)*$|^\[[0-9A-Fa-f:.]+\]$/,
      'must be a host name such as reports.example.com, or an address in brackets',
    )
    .optional()
    .describe(
      'Name of this machine in the greeting of the mail server (EHLO). Defaults to the domain of the sender, because the host name of a container has no dot and relays refuse it.',
    ),
  reply_to: address.optional().describe('Address for replies. Defaults to the sender.'),
  require_tls: z
    .boolean()
    .optional()
    .describe(
      'If true, a server without STARTTLS is always refused. Otherwise it is accepted only without a login and within your own network (loopback, private addresses and names).',
    ),
  insecure: z
    .boolean()
    .optional()
    .describe(
      'If true, mail is sent unencrypted and without STARTTLS, through any relay. Only without a login.',
    ),
  dkim: dkim.optional().describe('Signs mails with DKIM, for servers that do not.'),
  oauth2: oauth2.optional().describe('Logs in with OAuth 2.0 instead of a password.'),
  list_unsubscribe: listUnsubscribe
    .optional()
    .describe('How recipients unsubscribe. At least one of mailto and url is required.'),
};

type MailOptions = {
  readonly smtp: string | { readonly reveal: () => string };
  readonly require_tls?: boolean | undefined;
  readonly insecure?: boolean | undefined;
  readonly oauth2?: object | undefined;
};

/** Contradictions between the keys. */
export const contradictions = (
  mail: MailOptions,
): readonly { readonly key: string; readonly message: string }[] => {
  // An invalid address has already been reported.
  const text = typeof mail.smtp === 'object' ? mail.smtp.reveal() : '';
  if (!URL.canParse(text)) return [];
  const { protocol, username, password } = new URL(text);
  const insecure = mail.insecure === true;
  return [
    ...(insecure && mail.require_tls === true
      ? [{ key: 'insecure', message: 'must be omitted if require_tls is true' }]
      : []),
    ...(insecure && protocol === 'smtps:'
      ? [{ key: 'insecure', message: 'must be omitted if the server is smtps://' }]
      : []),
    ...(insecure && username !== ''
      ? [
          {
            key: 'insecure',
            message: 'must be omitted if smtp has a login, which is never sent unencrypted',
          },
        ]
      : []),
    ...(mail.oauth2 !== undefined && username === ''
      ? [
          {
            key: 'smtp',
            message:
              'must have the mailbox as its user if oauth2 is set: smtp://reports%40example.com@mail.example.com:587',
          },
        ]
      : []),
    ...(mail.oauth2 !== undefined && password !== ''
      ? [{ key: 'smtp', message: 'must have no password if oauth2 is set' }]
      : []),
  ];
};
