/** How many times its usual number of cases a property test draws: 1, or what `npm run storm` says. */
export const chaosFactor = Math.max(1, Number(process.env['TOLLKEEPER_STORM'] ?? 1));

/** Few cases, or what a storm draws, which is not multiplied. */
export const few = (usual: number, inChaos: number): number => (chaosFactor > 1 ? inChaos : usual);

/** Of a DuckDB of a test; a second one waits for work by spinning, which small tables pay more for than they gain. */
export const engineThreads = chaosFactor > 1 ? 2 : 1;

/** Of a long list a short storm takes a tenth as sparse a sample; `npm run storm -- --full` takes all. */
const strideOf = (oneOf: number): number => {
  if (chaosFactor >= 40) return 1;
  return chaosFactor > 1 ? Math.ceil(oneOf / 10) : oneOf;
};

/** One of so many of a list; in a storm more of them. */
export const sampled = <T>(list: readonly T[], oneOf: number): T[] =>
  list.filter((_, index) => index % strideOf(oneOf) === 0);
