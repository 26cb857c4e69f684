import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { unixMillis } from '../../src/core/index.ts';
import { decideAlerts, type AlertRecord, type Condition } from '../../src/monitoring/index.ts';

const never = () => false;
type State = Condition['state'];

const keyOf = ({ alert, level, period }: AlertRecord) => `${alert} ${level} ${period}`;

/** Applies evaluations one after the other, and returns what each raised and recovered. */
const evaluateAll = (
  steps: readonly (readonly Condition[])[],
  isMuted: (alert: string, step: number) => boolean = never,
) => {
  let records: readonly AlertRecord[] = [];
  return steps.map((conditions, step) => {
    const decision = decideAlerts({
      conditions,
      records,
      isMuted: (alert) => isMuted(alert, step),
      now: unixMillis(1000 + step),
    });
    const changed = new Map(
      [...decision.raised, ...decision.recovered, ...decision.ended].map((one) => [keyOf(one), one]),
    );
    records = [...records.filter((one) => !changed.has(keyOf(one))), ...changed.values()];
    return decision;
  });
};

const totals = (decisions: ReturnType<typeof evaluateAll>) => ({
  raised: decisions.flatMap(({ raised }) => raised.map(keyOf)),
  recovered: decisions.flatMap(({ recovered }) => recovered.map(keyOf)),
  ended: decisions.flatMap(({ ended }) => ended.map(keyOf)),
});

const condition = (state: State, period?: string): readonly Condition[] => [
  { alert: 'all', level: 'actual 100%', state, ...(period === undefined ? {} : { period }) },
];

const states: fc.Arbitrary<State> = fc.constantFrom('firing', 'clear', 'unchanged');

describe('the alerts of an evaluation', () => {
  it('are raised again in the next period, and end with their period, which is no recovery', () => {
    const { raised, recovered, ended } = totals(
      evaluateAll([
        condition('firing', '100'),
        condition('unchanged', '200'),
        condition('clear', '200'),
        condition('firing', '200'),
      ]),
    );
    expect(raised).toEqual(['all actual 100% 100', 'all actual 100% 200']);
    expect(recovered).toEqual([]);
    expect(ended).toEqual(['all actual 100% 100']);
  });

  it('end without a notification once their threshold is removed from the configuration', () => {
    const raised = evaluateAll([condition('firing', '100')])[0]?.raised ?? [];
    const { recovered, ended } = decideAlerts({
      conditions: [{ alert: 'all', level: 'actual 90%', period: '100', state: 'clear' }],
      records: raised,
      isMuted: never,
      now: unixMillis(5),
    });
    expect(recovered).toEqual([]);
    expect(ended.map(keyOf)).toEqual(['all actual 100% 100']);
  });

  it('are raised after a mute if the condition still holds, and not during it', () => {
    const steps = Array.from({ length: 4 }, () => condition('firing', '100'));
    const decisions = evaluateAll(steps, (_, step) => step < 2);
    expect(decisions.map(({ raised }) => raised.length)).toEqual([0, 0, 1, 0]);
  });

  it('without a period are raised again after each recovery', () => {
    const steps = (['firing', 'firing', 'clear', 'unchanged', 'firing'] as const).map((state) =>
      condition(state),
    );
    expect(evaluateAll(steps).map(({ raised, recovered }) => [raised.length, recovered.length])).toEqual([
      [1, 0],
      [0, 0],
      [0, 1],
      [0, 0],
      [1, 0],
    ]);
  });

  it('are never raised twice, and never recover twice or before they were raised, whatever the figures do', () => {
    const levels = ['actual 80%', 'actual 100%', 'forecast 100%'];
    const step = fc.record({
      period: fc.integer({ min: 1, max: 4 }),
      states: fc.tuple(states, states, states),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (given) => {
        const steps = given.map(({ period, states: all }) =>
          all.map((state, at): Condition => ({
            alert: 'all',
            level: levels[at] ?? '',
            period: String(period),
            state,
          })),
        );
        const decisions = evaluateAll(steps);
        const { raised, recovered } = totals(decisions);
        expect(new Set(raised).size).toBe(raised.length);
        expect(new Set(recovered).size).toBe(recovered.length);
        for (const key of recovered) expect(raised).toContain(key);
        // Never none: what fires is raised by the end of its evaluation.
        const known = new Set<string>();
        for (const [at, decision] of decisions.entries()) {
          for (const one of decision.raised) known.add(keyOf(one));
          for (const { alert, level, period = '', state } of steps[at] ?? [])
            if (state === 'firing') expect(known).toContain(`${alert} ${level} ${period}`);
        }
      }),
    );
  });
});
