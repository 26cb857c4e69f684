export type RateLimiter = {
  /** Counts a request of a caller; false when it exceeds the limit. */
  admit(caller: string, sensitive: boolean): boolean;
};

const limits = {
  any: { requests: 180, millis: 180_000 },
  sensitive: { requests: 20, millis: 1_200_000 },
} as const;

/** Sliding windows like those of the gateway family (docs/gateway.md G3.3). */
export const createRateLimiter = (now: () => number): RateLimiter => {
  const seen = new Map<string, number[]>();

  const admitTo = (name: string, limit: (typeof limits)[keyof typeof limits]): boolean => {
    const recent = (seen.get(name) ?? []).filter((at) => at > now() - limit.millis);
    const admitted = recent.length < limit.requests;
    if (admitted) recent.push(now());
    seen.set(name, recent);
    return admitted;
  };

  return {
    admit: (caller, sensitive) =>
      admitTo(`any ${caller}`, limits.any) &&
      (!sensitive || admitTo(`sensitive ${caller}`, limits.sensitive)),
  };
};
