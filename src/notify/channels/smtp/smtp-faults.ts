import type { NodemailerError } from 'nodemailer';
import { fault, type Fault } from '../../../core/index.ts';
import { oneLine } from '../../address.ts';

export type FaultContext = {
  /** `mail.example.com:587`. */
  readonly where: string;
  readonly redact: (text: string) => string;
};

const certificateCodes =
  /^(CERT_|CRL_|SELF_SIGNED|UNABLE_TO_|DEPTH_ZERO_|ERR_TLS_CERT|HOSTNAME_MISMATCH|INVALID_CA|INVALID_PURPOSE)/;

const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'refused the connection',
  ENOTFOUND: 'has no address: unknown host name',
  EAI_AGAIN: 'has no address: the DNS server does not answer',
  EDNS: 'has no address',
  EHOSTUNREACH: 'cannot be reached: no route to the host',
  ENETUNREACH: 'cannot be reached: no route to its network',
  ECONNRESET: 'closed the connection',
  ECONNECTION: 'closed the connection',
  EPIPE: 'closed the connection',
};

/** The server's reply, on one line and without secrets. */
export const quoteServer = (response: string | undefined, redact: FaultContext['redact']): string =>
  response === undefined || response === '' ? '' : `: “${redact(oneLine(response)).slice(0, 300)}”`;

export const connectionFault = (error: NodemailerError, { where, redact }: FaultContext): Fault => {
  const message = quoteServer(error.response, redact);
  const code = error.originalCode ?? error.code ?? '';
  const options = { cause: new Error(redact(error.message)) };
  if (certificateCodes.test(code))
    return fault(
      'mail-certificate',
      `the mail server ${where} presents a certificate from an unknown authority (${code})`,
      options,
    );
  if (error.code === 'EAUTH' || error.code === 'ENOAUTH')
    return error.permanent === false
      ? fault('mail-deferred', `the mail server ${where} cannot verify the login now${message}`, options)
      : fault('mail-login-refused', `the mail server ${where} refused the login${message}`, options);
  if (error.code === 'ETLS' && error.response !== undefined)
    return fault('mail-tls-required', `the mail server ${where} does not offer STARTTLS${message}`, options);
  if (/^(ERR_SSL_|EPROTO$)/.test(code) || error.code === 'ETLS')
    return fault('mail-unreachable', `the mail server ${where} does not use TLS on this port (${code})`, {
      ...options,
      advice: 'smtps:// is for ports that begin with TLS (465), smtp:// for those with STARTTLS (587)',
    });
  // Before a login, a refusal is of this machine or of its name; the mails stay queued.
  if (error.responseCode !== undefined && error.responseCode >= 500)
    return fault('mail-session-refused', `the mail server ${where} refused the session${message}`, options);
  if (error.responseCode !== undefined)
    return fault('mail-unreachable', `the mail server ${where} does not accept mail now${message}`, options);
  const reason =
    error.code === 'ETIMEDOUT'
      ? 'did not answer in time'
      : (reasons[code] ?? reasons[error.code ?? ''] ?? `cannot be reached (${code})`);
  return fault('mail-unreachable', `the mail server ${where} ${reason}`, options);
};

/** RFC 1870 6.3: 5.3.4 means that the message is too large; a full mailbox answers 5.2.2. */
const isTooLarge = (error: NodemailerError): boolean =>
  error.response === undefined
    ? error.code === 'EMESSAGE' && error.message.includes('larger than allowed')
    : error.permanent === true && /^5\d\d[ -]5\.3\.4\b/.test(error.response);

/** nodemailer's own refusal, before it sends anything, names the size limit of the server. */
const ownMessage = ({ message }: NodemailerError): string => {
  const limit = /(?<!\d)\d+$/.exec(message)?.[0];
  return limit === undefined ? '' : ` (at most ${limit} bytes)`;
};

/** The outcome of a message that was not accepted. `isTransmitted`: its last byte had been sent. */
export const sendingFault = (
  error: NodemailerError,
  isTransmitted: boolean,
  recipient: string,
  { where, redact }: FaultContext,
): { readonly state: 'deferred' | 'failed' | 'unknown'; readonly fault: Fault } => {
  const message = quoteServer(error.response, redact);
  const options = { cause: new Error(redact(error.message)) };
  if (isTooLarge(error))
    return {
      state: 'failed',
      fault: fault(
        'mail-too-large',
        `the mail to ${recipient} is larger than ${where} accepts${message || ownMessage(error)}`,
        options,
      ),
    };
  const isReply = error.responseCode !== undefined && error.responseCode >= 400;
  if (isReply && error.permanent === true)
    return {
      state: 'failed',
      fault: fault('mail-refused', `${where} refused the mail to ${recipient}${message}`, options),
    };
  if (isReply)
    return {
      state: 'deferred',
      fault: fault('mail-deferred', `${where} deferred the mail to ${recipient}${message}`, options),
    };
  if (isTransmitted)
    return {
      state: 'unknown',
      fault: fault(
        'mail-outcome-unknown',
        `the connection to ${where} ended after the mail to ${recipient} was transmitted and before it was confirmed`,
        options,
      ),
    };
  // Without a reply, nodemailer itself refused: an address that no command can carry, or a size over the limit.
  if (error.code === 'EENVELOPE' || error.code === 'EMESSAGE')
    return {
      state: 'failed',
      fault: fault(
        'mail-refused',
        `the mail to ${recipient} cannot be sent: ${redact(error.message)}`,
        options,
      ),
    };
  return {
    state: 'deferred',
    fault: fault(
      'mail-unreachable',
      `the connection to ${where} ended before the mail to ${recipient} was transmitted`,
      options,
    ),
  };
};
