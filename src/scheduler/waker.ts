/** Calls `wake` again and again until it is stopped; what is due is computed from the clock. */
export type Waker = (wake: () => void) => { readonly stop: () => void };

/** Wakes once a second, also while the wall clock is set back or stands still. */
export const everySecond: Waker = (wake) => {
  const timer = setInterval(wake, 1000);
  return { stop: () => clearInterval(timer) };
};
