import { describe, expect, it } from 'vitest';
import { fault } from '../../src/core/index.ts';
import { checkDatabase } from '../../src/doctor/database.ts';
import { conventionPoints } from '../../src/doctor/tokens.ts';
import { approved, titled } from '../support/approved.ts';
import type { ModelConvention } from '../../src/warehouse/index.ts';

describe('the check of the database', () => {
  const server = (connections = { used: 12, most: 100 }, roundTrip = 0.42) => ({
    server: async () => ({ version: '15.4', size: 1_200_000_000, connections, roundTrip }),
  });

  it('names the file, or the server with its size, its connections and the time of a statement', async () => {
    expect(await checkDatabase({}, 'data/x.duckdb')).toEqual({
      about: 'database',
      state: 'ok',
      message: 'data/x.duckdb is open',
    });
    expect(await checkDatabase(server(), 'data/x.duckdb')).toEqual({
      about: 'database',
      state: 'ok',
      message: expect.stringMatching(/^PostgreSQL 15\.4, 1\.2 GB, 12 of 100 .*, 0\.4 ms /) as string,
    });
  });

  it('warns of a server that is far away, and of one without connections for another replica', async () => {
    const { state, advice = '' } = await checkDatabase(server({ used: 95, most: 100 }, 7), '');
    expect(state).toBe('warning');
    expect(advice).toContain('close to the server');
    expect(advice).toContain('raise max_connections');
  });

  it('fails with the next step when the server cannot be asked', async () => {
    const gone = fault('database-unreachable', 'the server is gone', { advice: 'start it' });
    expect(
      await checkDatabase(
        {
          server: async () => {
            throw gone;
          },
        },
        '',
      ),
    ).toMatchObject({ state: 'failed', code: 'database-unreachable', advice: 'start it' });
  });
});

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
