import type { Migration } from './migration.ts';

/** How the amounts of an account are known, and in which form each source serves them. */
export const amountForm: Migration = {
  number: 17,
  name: 'proof of the form of amounts',
  statements: [
    'ALTER TABLE log_amounts ADD COLUMN decided_by VARCHAR',
    'ALTER TABLE log_amounts ADD COLUMN served_form VARCHAR',
    // Whether units_per_currency is set; empty until the next landing says so.
    'ALTER TABLE log_amounts ADD COLUMN units_stated BOOLEAN',
    'ALTER TABLE log_amounts ADD COLUMN has_fractions BOOLEAN',
    `UPDATE log_amounts SET served_form = form, decided_by = CASE
       WHEN form IS NULL THEN NULL
       WHEN EXISTS (FROM learned_point AS known
         WHERE known.account = log_amounts.account AND known.point = 'log.amounts' AND known.how = 'config') THEN 'config'
       ELSE 'data' END`,
    `UPDATE log_amounts SET has_fractions = EXISTS (FROM log_window AS landed
       WHERE landed.account = log_amounts.account AND landed.quota <> trunc(landed.quota))`,
  ],
};
