/** How many times its usual number of cases a property test draws in a storm: what `npm run storm` says; else 1. */
export const chaosFactor = Math.max(1, Number(process.env['TOLLKEEPER_STORM'] ?? 1));

/** Whether the storm is the long one: `npm run storm -- --full`. */
export const isLong = chaosFactor >= 40;

/** A quarter of the usual number of cases in `npm test`, and at least one; else all of them. */
const share = (usual: number): number =>
  process.env['TOLLKEEPER_TESTS'] === 'in-process' ? Math.max(1, Math.ceil(usual / 4)) : usual;

/** How many cases a property draws: a quarter in `npm test`, a multiple in a storm. */
export const runs = (usual: number): number => (chaosFactor > 1 ? usual * chaosFactor : share(usual));

/** How many cases a property draws whose number a storm does not multiply: a quarter in `npm test`. */
export const once = (usual: number): number => (chaosFactor > 1 ? usual : share(usual));

/** How many cases a property draws that has a number of its own for a storm: a quarter in `npm test`. */
export const few = (usual: number, inChaos: number): number => (chaosFactor > 1 ? inChaos : share(usual));

/** Of a DuckDB of a test; a second one waits for work by spinning, which small tables pay more for than they gain. */
export const engineThreads = chaosFactor > 1 ? 2 : 1;

/** Of a long list a short storm takes a tenth as sparse a sample; `npm run storm -- --full` takes all. */
const strideOf = (oneOf: number): number => {
  if (isLong) return 1;
  return chaosFactor > 1 ? Math.ceil(oneOf / 10) : oneOf;
};

/** One of so many of a list; in a storm more of them. */
export const sampled = <T>(list: readonly T[], oneOf: number): T[] =>
  list.filter((_, index) => index % strideOf(oneOf) === 0);
