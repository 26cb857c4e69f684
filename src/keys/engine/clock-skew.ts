/** Milliseconds by which the gateway's clock may differ from ours. */
export const clockSkew = 900_000;
