import { describe, expect, it } from 'vitest';
import { conventionPoints } from '../../src/doctor/tokens.ts';
import { approved, titled } from '../support/approved.ts';
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
  it('contains the conclusion, its evidence and the setting that decides, and is open until evidence shows it', async () => {
    const mixed = { ...nothing, calls: 1200, reasoningCalls: 7, excludesCalls: 2, includesTimes: 1 };
    const decided = modelOf({
      convention: 'includes_reasoning',
      decidedBy: 'configured',
      contradicted: true,
      evidence: { ...mixed, excludesTimes: 2, rule: 'x-*' },
    });
    const shown = [
      ['open', modelOf({}), 'data'],
      ['decided by the configuration', decided, 'config'],
      ['mixed', modelOf({ contradicted: true, evidence: mixed }), 'data'],
    ] as const;
    const lines = shown.map(([title, model, how]) => {
      const found = conventionPoints(model);
      expect(found).toMatchObject([{ point: 'tokens.x-1.output', how }]);
      return [title, found.map(({ value, evidence }) => `${value}\n${evidence}`).join('\n')] as const;
    });
    await expect(titled(lines)).toMatchFileSnapshot(approved('doctor/tokens'));
  });

  it('is missing for a model without cached and reasoning tokens', () => {
    const evidence = { ...nothing, calls: 3, reasoningCalls: 0 };
    expect(conventionPoints(modelOf({ evidence }))).toEqual([]);
  });
});
