import type { Migration } from './migration.ts';

export const tokenClasses: Migration = {
  number: 7,
  name: 'token classes',
  statements: [
    'ALTER TABLE call_log ADD COLUMN audio_input_tokens BIGINT',
    'ALTER TABLE call_log ADD COLUMN audio_output_tokens BIGINT',
    // Calls of a UTC day and model that prove something by themselves, with the first of them as witness.
    `CREATE TABLE token_row_evidence (
      account VARCHAR NOT NULL,
      day BIGINT NOT NULL,
      model_name VARCHAR NOT NULL,
      calls BIGINT NOT NULL,
      cache_calls BIGINT NOT NULL,
      excludes_calls BIGINT NOT NULL,
      witness_at BIGINT,
      witness_prompt BIGINT,
      witness_cached BIGINT,
      witness_write BIGINT
    )`,
    // What the charges of one key's calls show, of so many UTC days up to and with this one. The coefficients are evidence, never money.
    `CREATE TABLE token_price_evidence (
      account VARCHAR NOT NULL,
      day BIGINT NOT NULL,
      model_name VARCHAR NOT NULL,
      days BIGINT NOT NULL,
      token_name VARCHAR NOT NULL,
      calls BIGINT NOT NULL,
      shows VARCHAR NOT NULL,
      prompt_price VARCHAR NOT NULL,
      cached_price VARCHAR NOT NULL,
      cached_error VARCHAR NOT NULL
    )`,
    `CREATE TABLE token_rule (account VARCHAR NOT NULL, pattern VARCHAR NOT NULL, convention VARCHAR NOT NULL)`,
    // What is decided; without a convention it is open.
    `CREATE TABLE token_convention (
      account VARCHAR NOT NULL,
      model_name VARCHAR NOT NULL,
      convention VARCHAR,
      decided_by VARCHAR,
      contradicted BOOLEAN NOT NULL,
      evidence VARCHAR NOT NULL
    )`,
    // Up to which landings the evidence goes.
    `CREATE TABLE token_judged (
      account VARCHAR NOT NULL,
      landings BIGINT NOT NULL,
      newest BIGINT NOT NULL,
      before_count BIGINT NOT NULL
    )`,
  ],
};
