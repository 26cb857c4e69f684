import type { Grammar } from './mutate.ts';

/** What is fed with cases. */
export type Target = {
  readonly grammar: Grammar;
  /** Valid texts to start from. */
  readonly seeds: readonly string[];
  /** Everything that the cases share; disposed of at the end. */
  readonly open: () => Promise<AsyncDisposable & { readonly run: (text: string) => Promise<void> }>;
};
