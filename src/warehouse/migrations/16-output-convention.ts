import type { Migration } from './migration.ts';

/** What completion tokens hold is learned as what prompt tokens hold is: evidence is of one side of the calls. */
export const outputConvention: Migration = {
  number: 16,
  name: 'output convention',
  statements: [
    "ALTER TABLE token_row_evidence ADD COLUMN side VARCHAR DEFAULT 'input'",
    'ALTER TABLE token_row_evidence RENAME COLUMN cache_calls TO part_calls',
    'ALTER TABLE token_row_evidence RENAME COLUMN witness_prompt TO witness_whole',
    'ALTER TABLE token_row_evidence RENAME COLUMN witness_cached TO witness_part',
    "ALTER TABLE token_price_evidence ADD COLUMN side VARCHAR DEFAULT 'input'",
    'ALTER TABLE token_price_evidence RENAME COLUMN prompt_price TO whole_price',
    'ALTER TABLE token_price_evidence RENAME COLUMN cached_price TO part_price',
    'ALTER TABLE token_price_evidence RENAME COLUMN cached_error TO part_error',
    "ALTER TABLE token_rule ADD COLUMN side VARCHAR DEFAULT 'input'",
    'ALTER TABLE token_convention ADD COLUMN output_convention VARCHAR',
    // The rest of what is decided of the output, as JSON.
    'ALTER TABLE token_convention ADD COLUMN output VARCHAR',
    // All days are examined again, now for the output too.
    'DELETE FROM token_judged',
  ],
};
