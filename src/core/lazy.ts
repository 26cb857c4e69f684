/**
 * A function whose module is loaded with its first call. The entry point of a module exports with it whatever needs a
 * package that is slow to load (DuckDB, undici, …), so that a command starts without what it does not use.
 */
export const lazy =
  <Given extends readonly unknown[], Result>(load: () => Promise<(...given: Given) => Result>) =>
  async (...given: Given): Promise<Awaited<Result>> => {
    const work = await load();
    return await work(...given);
  };
