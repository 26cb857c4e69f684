import type { Condition } from '../alerts/decide-alerts.ts';
import type { Assessment, Level } from './assess.ts';

export const levelName = ({ on, label }: Pick<Level, 'on' | 'label'>): string => `${on} ${label}`;

const states = { exceeded: 'firing', close: 'unchanged', below: 'clear', unknown: 'unchanged' } as const;

/** The conditions of a budget in one period, one for each threshold. */
export const conditionsOf = ({ budget, period, through, levels }: Assessment): readonly Condition[] =>
  levels.map((level) => ({
    alert: budget.name,
    level: levelName(level),
    period: String(period.start),
    // The spend of a whole period is no forecast that could fall.
    state:
      level.on === 'forecast' && level.state !== 'unknown' && through !== undefined && through >= period.end
        ? 'over'
        : states[level.state],
  }));
