/** What runs out: the balance of an account or the quota of a key. */
export type Reserve = { readonly kind: 'runway' | 'key'; readonly name: string };

/** The texts of mails about balances and quotas; figures and moments are formatted. */
export type RunwayTexts = {
  readonly title: (of: Reserve, days: string) => string;
  /** `high` is missing where there is no upper bound. */
  readonly days: (days: string, low: string, high: string | undefined) => string;
  readonly usedUp: (of: Reserve, days: string) => string;
  /** `days` is missing when nothing was used. */
  readonly lasts: (of: Reserve, days: string | undefined) => string;
  readonly left: (left: string, perDay: string) => string;
  readonly advice: Readonly<Record<Reserve['kind'], string>>;
  readonly noFurther: (kind: Reserve['kind'], word: string) => string;
  readonly recoveredTitle: (of: Reserve) => string;
  readonly currentState: string;
};
