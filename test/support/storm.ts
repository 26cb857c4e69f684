/** How many times its usual number of cases a property test draws: 1, or what `npm run storm` says. */
export const stormTimes = Math.max(1, Number(process.env['TOLLKEEPER_STORM'] ?? 1));

/** Few cases, or what a storm draws, which is not multiplied. */
export const few = (usual: number, inStorm: number): number => (stormTimes > 1 ? inStorm : usual);

/** Of a DuckDB of a test; a second one waits for work by spinning, which small tables pay more for than they gain. */
export const engineThreads = stormTimes > 1 ? 2 : 1;

/** All of a list in a storm, else one of so many. */
export const sampled = <T>(list: readonly T[], oneOf: number): T[] =>
  list.filter((_, index) => stormTimes > 1 || index % oneOf === 0);
