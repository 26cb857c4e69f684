import { deriveKey, isSameSecret, macOf, type Secret } from '../../core/index.ts';

/** Tokens in the URLs of readers that cannot log in: a feed reader, or a wiki that shows badges. */
export type UrlTokens = {
  /** Whether the token opens this path, and nothing else. */
  readonly opens: (path: string, token: string) => boolean;
  /** Paths with their tokens, of the feed and of the badges of these jobs. */
  readonly pathsOf: (jobs: readonly string[]) => readonly string[];
};

const feedPath = '/feed.atom';
const badgePath = (job: string): string => `/badge/${encodeURIComponent(job)}.svg`;

/**
 * The feed is opened by the token of the settings. Who reads a page with a badge sees its URL: a badge has a token of its own,
 * derived from that of the feed, which opens this badge alone.
 */
export const createUrlTokens = (feedToken: Secret): UrlTokens => {
  const key = deriveKey(feedToken, 'badges of the status page');
  const tokenOf = (path: string): string => (path === feedPath ? feedToken.reveal() : macOf(path, key));
  return {
    opens: (path, token) =>
      (path === feedPath || path.startsWith('/badge/')) && isSameSecret(token, tokenOf(path)),
    pathsOf: (jobs) =>
      [feedPath, ...jobs.map(badgePath)].map((path) => `.${path}?token=${encodeURIComponent(tokenOf(path))}`),
  };
};
