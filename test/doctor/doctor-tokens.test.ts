import { describe, expect, it } from 'vitest';
import { conventionPoints } from '../../src/doctor/tokens.ts';
import type { ModelConvention } from '../../src/warehouse/index.ts';

const nothing = { excludesCalls: 0, includesTimes: 0, excludesTimes: 0 };

const modelOf = (change: Partial<ModelConvention['output']>): ModelConvention => ({
  model: 'x-1',
  convention: undefined,
  decidedBy: undefined,
  contradicted: false,
  evidence: { ...nothing, calls: 1200, cacheCalls: 0 },
  output: {
    convention: undefined,
    decidedBy: undefined,
    contradicted: false,
    evidence: { ...nothing, calls: 1200, reasoningCalls: 7 },
    ...change,
  },
});

describe('the doctor line about completion tokens', () => {
  it('is open until evidence shows whether they include reasoning tokens', () => {
    expect(conventionPoints(modelOf({}))).toEqual([
      {
        point: 'tokens.x-1.output',
        value: 'open: tokens that could be either are unclassified',
        evidence: '1,200 calls, 7 with reasoning tokens',
        how: 'data',
      },
    ]);
  });

  it('contains the conclusion, its evidence, and the setting that decides', () => {
    const evidence = {
      ...nothing,
      calls: 1200,
      reasoningCalls: 7,
      excludesCalls: 2,
      includesTimes: 1,
      excludesTimes: 2,
      rule: 'x-*',
    };
    const decided = modelOf({
      convention: 'includes_reasoning',
      decidedBy: 'configured',
      contradicted: true,
      evidence,
    });
    expect(conventionPoints(decided)).toEqual([
      {
        point: 'tokens.x-1.output',
        value: 'completion tokens include reasoning tokens',
        evidence:
          '1,200 calls, 7 with reasoning tokens; 2 with more of them than completion tokens; charges showed once that completion tokens include them; charges showed 2 times that completion tokens exclude them; set by gateway.output_convention for x-*; there is evidence against it',
        how: 'config',
      },
    ]);
  });

  it('says that a model mixes both conventions, and that no setting is right for it', () => {
    const evidence = { ...nothing, calls: 1200, reasoningCalls: 7, excludesCalls: 2, includesTimes: 1 };
    const [point] = conventionPoints(modelOf({ contradicted: true, evidence }));
    expect(point?.value).toMatch(/^mixed: completion tokens include reasoning tokens in some calls/);
    expect(point?.evidence).toMatch(/; leave gateway\.output_convention unset for this model/);
  });

  it('is missing for a model without cached and reasoning tokens', () => {
    const evidence = { ...nothing, calls: 3, reasoningCalls: 0 };
    expect(conventionPoints(modelOf({ evidence }))).toEqual([]);
  });
});
