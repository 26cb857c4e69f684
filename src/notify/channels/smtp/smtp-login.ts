import type { SMTPConnectionAuth } from 'nodemailer/lib/smtp-connection';
import type { TokenSource } from './oauth2-token.ts';
import type { SmtpServerAddress } from './smtp-server-address.ts';

type LoginDeps = {
  readonly address: SmtpServerAddress;
  readonly tokens: TokenSource | undefined;
  readonly signal: AbortSignal | undefined;
};

/** Preserves the error of the token source, whose code nodemailer would overwrite. */
const byToken = async (
  user: string,
  tokens: TokenSource,
  signal: AbortSignal | undefined,
  attempt: (auth: SMTPConnectionAuth) => Promise<void>,
): Promise<void> => {
  let tokenProblem: { readonly error: unknown } | undefined;
  const { default: XOAuth2 } = await import('nodemailer/lib/xoauth2');
  const oauth2 = new XOAuth2({
    user,
    provisionCallback: (_user, renew, done) => {
      tokens.token(renew, signal).then(
        (token) => done(null, token),
        (error: unknown) => {
          tokenProblem = { error };
          done(new Error('no access token'));
        },
      );
    },
  });
  try {
    await attempt({ user, oauth2, method: 'XOAUTH2' });
  } catch (error) {
    tokens.forget();
    throw tokenProblem === undefined ? error : tokenProblem.error;
  }
};

/** Logs in if the address has a user: by XOAUTH2 if there are tokens, else with the password, by any method that the server offers. */
export const logIn = async (
  { address: { login }, tokens, signal }: LoginDeps,
  attempt: (auth: SMTPConnectionAuth) => Promise<void>,
): Promise<void> => {
  if (login === undefined) return;
  if (tokens === undefined) await attempt({ user: login.user, pass: login.password });
  else await byToken(login.user, tokens, signal, attempt);
};
