import { describe, expect, it } from 'vitest';
import { fault } from '../../src/core/index.ts';
import { checkDatabase } from '../../src/doctor/database.ts';

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
