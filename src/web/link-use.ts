import { createGate, type UnixMillis } from '../core/index.ts';
import type { AlertOf, PageActions } from './page/actions.ts';

/** What the links of mails do. `who` names the link. */
export type LinkUse = {
  /** Whether something was done with the link before: a link works once. */
  readonly wasUsed: (who: string) => Promise<boolean>;
  /** Mutes until the moment if given, else acknowledges. False if the link was used before. */
  readonly act: (action: AlertOf & { readonly until?: UnixMillis | undefined }) => Promise<boolean>;
};

export const createLinkUse = (
  wasUsed: LinkUse['wasUsed'],
  actions: Pick<PageActions, 'acknowledge' | 'mute'>,
): LinkUse => {
  // Two requests with one link must not both find it unused.
  const oneAtATime = createGate(1);
  return {
    wasUsed,
    act: ({ until, ...alert }) =>
      oneAtATime(async () => {
        if (await wasUsed(alert.who)) return false;
        if (until === undefined) await actions.acknowledge(alert);
        else await actions.mute({ ...alert, until });
        return true;
      }),
  };
};
