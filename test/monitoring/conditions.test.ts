import { expect, it } from 'vitest';
import { money, unixSeconds } from '../../src/core/index.ts';
import { conditionsOf, type Assessment } from '../../src/monitoring/index.ts';

const period = { start: unixSeconds(1000), end: unixSeconds(2000) };

/** The state of the condition of one threshold, by what the data reaches. */
const stateOf = (
  on: 'actual' | 'forecast',
  state: Assessment['levels'][number]['state'],
  through: number | undefined,
) => {
  const assessment = {
    budget: { name: 'month' },
    period,
    through: through === undefined ? undefined : unixSeconds(through),
    levels: [{ on, label: '80%', amount: money('80'), state }],
  } as unknown as Assessment;
  return conditionsOf(assessment).map(({ state: of }) => of)[0];
};

it('A threshold of the spend fires when it is exceeded, also when its period is over', () => {
  for (const through of [undefined, 1500, 2000]) {
    expect(stateOf('actual', 'exceeded', through)).toBe('firing');
    expect(stateOf('actual', 'below', through)).toBe('clear');
  }
});

it('A forecast is over when the data reaches the end of its period, and only then', () => {
  for (const state of ['exceeded', 'close', 'below'] as const)
    for (const through of [2000, 2001]) expect(stateOf('forecast', state, through)).toBe('over');
  for (const through of [undefined, 1999]) expect(stateOf('forecast', 'exceeded', through)).toBe('firing');
});

it('A state that is unknown or close to its threshold changes no condition', () => {
  for (const through of [undefined, 1500, 2000]) {
    expect(stateOf('forecast', 'unknown', through)).toBe('unchanged');
    expect(stateOf('actual', 'close', through)).toBe('unchanged');
  }
});
