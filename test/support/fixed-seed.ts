import fc from 'fast-check';

export const seedVariable = 'TOLLKEEPER_SEED';

/** With a seed every property draws the same cases in each run. */
const seed = process.env[seedVariable];
if (seed !== undefined) fc.configureGlobal({ seed: Number(seed) });
