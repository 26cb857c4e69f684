import { shellWord, type UnixMillis } from '../core/index.ts';
import type { KeyAlert, KeyMatter, KeyUse } from '../keys/index.ts';

/** What an alert says; without an advice of its own, that of its kind applies. */
export type KeyText = { readonly title: string; readonly message: string; readonly advice?: string };

export type KeyFacts = {
  readonly account: string;
  readonly service: string;
  /** The service, in a command. */
  readonly word: string;
  readonly at: (moment: UnixMillis) => string;
  /** Time zone of times. */
  readonly zone: string;
};

/** The texts of mails about keys. Where the journal states a fact, one function writes the sentence of the journal and that of English mails. */
export type KeyTexts = {
  readonly events: {
    readonly [Event in KeyMatter['event']]: (
      about: Extract<KeyMatter, { readonly event: Event }>,
      facts: KeyFacts,
    ) => KeyText;
  };
  /** By the kind of an alert that belongs to a service. */
  readonly advice: { readonly [Kind in KeyAlert['kind']]?: (word: string) => string };
  readonly use: (use: KeyUse, at: KeyFacts['at'], currency: string | undefined) => string;
  readonly service: (service: string, account: string, team: string | undefined) => string;
  readonly allAccounts: string;
  readonly shows: (now: string, history: string) => string;
  readonly reminder: string;
  readonly daily: string;
  readonly noFurther: string;
  /** Beside a service. */
  readonly owner: (owner: string) => string;
  readonly recipients: (operators: string, team: string) => string;
  /** A recipient can later prove with it that no line of the audit log up to this one was changed. */
  readonly auditHead: (steps: number, hash: string) => string;
};

/** What an alert says in a language. */
export const keyText = (
  { about, account, service }: Pick<KeyAlert, 'about' | 'account' | 'service'>,
  { events }: KeyTexts,
  { at, zone }: Pick<KeyFacts, 'at' | 'zone'>,
): KeyText => {
  const write = events[about.event] as (matter: KeyMatter, facts: KeyFacts) => KeyText;
  return write(about, { account, service, word: shellWord(service), at, zone });
};
