/** In place of the host of a URL that has none. */
const noHost = 'socket.invalid';

/**
 * The URL of a database of PostgreSQL, `postgres://user:password@host:5432/database`, and its host: empty where the URL has
 * none, since a parameter names it. Undefined for any other text.
 */
export const databaseUrlOf = (text: string): { readonly url: URL; readonly host: string } | undefined => {
  // The syntax of URLs allows no user without a host, PostgreSQL does.
  const whole = text.replace(/^(postgres(?:ql)?:\/\/[^/?#]*@)(?=\/)/, `$1${noHost}`);
  if (!/^postgres(?:ql)?:\/\//.test(whole) || !URL.canParse(whole)) return undefined;
  const url = new URL(whole);
  const isWhole = url.username !== '' && /^\/[^/@]+$/.test(url.pathname) && url.hash === '';
  return isWhole ? { url, host: url.hostname === noHost ? '' : url.hostname } : undefined;
};
