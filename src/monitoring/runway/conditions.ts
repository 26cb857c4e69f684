import type { Condition } from '../alerts/decide-alerts.ts';
import type { Runway } from './runway.ts';

/** An alert ends once this many times its days are left again, so that a pace near the level does not repeat it. */
const recovery = 1.2;

/** One condition for each level, in days. Only levels below which the runway has fallen are notified of. */
export const runwayConditions = (
  alert: string,
  runway: Runway,
  levels: readonly number[],
): readonly Condition[] =>
  levels.map((level): Condition => {
    const name = `${level} days left`;
    if (runway.state === 'unknown') return { alert, level: name, state: 'unchanged' };
    if (runway.state === 'unused') return { alert, level: name, state: 'clear' };
    const state = runway.days <= level ? 'firing' : runway.days >= level * recovery ? 'clear' : 'unchanged';
    return { alert, level: name, state };
  });
