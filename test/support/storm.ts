/** How many times its usual number of cases a property test draws: 1, or what `npm run storm` says. */
export const stormTimes = Math.max(1, Number(process.env['TOLLKEEPER_STORM'] ?? 1));
