/**
 * The engine's memory limit, from what the user allows: vectors and buffers that the engine does not count add about an
 * eighth. Both as DuckDB writes sizes, `512MB`.
 */
export const engineMemory = (allowed: string): string => {
  const [, digits = '', unit = ''] = /^\s*(\d+(?:\.\d+)?)\s*([A-Za-z]+)\s*$/.exec(allowed) ?? [];
  return digits === '' ? allowed : `${Number(digits) * 0.875}${unit}`;
};
