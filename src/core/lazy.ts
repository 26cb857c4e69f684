/**
 * A function whose module loads with its first call. The entry point of a module wraps exports that need slow packages
 * (DuckDB, undici, …) with it, so that a command starts without unused ones.
 */
export const lazy =
  <Given extends readonly unknown[], Result>(load: () => Promise<(...given: Given) => Result>) =>
  async (...given: Given): Promise<Awaited<Result>> => {
    const work = await load();
    return await work(...given);
  };
