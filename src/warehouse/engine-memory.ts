/**
 * What the engine is told it may use, of what the user allows it: vectors and buffers that it does not count come to about
 * an eighth more. Both as DuckDB writes sizes, `512MB`.
 */
export const engineMemory = (allowed: string): string => {
  const [, digits = '', unit = ''] = /^\s*(\d+(?:\.\d+)?)\s*([A-Za-z]+)\s*$/.exec(allowed) ?? [];
  return digits === '' ? allowed : `${Number(digits) * 0.875}${unit}`;
};
