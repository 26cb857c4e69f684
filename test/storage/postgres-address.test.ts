import { describe, expect, it } from 'vitest';
import { addressOf } from '../../src/storage/postgres/address.ts';

const refusalOf = async (url: string): Promise<string> => {
  const error: unknown = await addressOf(url).catch((reason: unknown) => reason);
  expect(error).toMatchObject({ code: 'database-refused', retryHelps: false });
  return `${(error as Error).message}; ${(error as { advice: string }).advice}`;
};

describe('the URL of a database', () => {
  it('names user, password, host, port and database, decoded', async () => {
    const { shown, options } = await addressOf('postgresql://ke%40per:p%2Fw%25@db.example.com/sp%20end');
    expect(options).toMatchObject({
      user: 'ke@per',
      password: 'p/w%',
      host: 'db.example.com',
      port: 5432,
      database: 'sp end',
      ssl: false,
    });
    expect(shown).toBe('postgres://ke%40per@db.example.com:5432/sp%20end');
  });

  it.each([
    ['postgres://keeper:pw@[::1]:6432/spend', '::1', 'postgres://keeper@[::1]:6432/spend'],
    ['postgres://keeper@/spend?host=/run/pg', '/run/pg', 'postgres://keeper@/spend?host=/run/pg'],
    ['postgres://keeper@%2Frun%2Fpg/spend', '/run/pg', 'postgres://keeper@/spend?host=/run/pg'],
    [
      'postgres://keeper@/spend?host=/run/pg&port=6432',
      '/run/pg',
      'postgres://keeper@/spend?host=/run/pg&port=6432',
    ],
    ['postgres://keeper:pw@old/spend?host=new', 'new', 'postgres://keeper@new:5432/spend'],
  ])('%s is shown without its password', async (url, host, shown) => {
    const address = await addressOf(url);
    expect([address.options.host, address.shown]).toEqual([host, shown]);
  });

  it('takes its password from nowhere else', async () => {
    const { options } = await addressOf('postgres://keeper@db/spend');
    expect(typeof options.password === 'function' ? options.password() : options.password).toBe('');
  });

  it.each([
    'mysql://keeper:hunter2@db/spend',
    'postgres://keeper:hunter2@db',
    'postgres://db/spend',
    'postgres:///spend',
    'postgres://keeper@/spend',
    'postgres://keeper:hunter2/x@db/spend',
    'postgres://keeper:1/hunter2@db/spend',
    'postgres://keeper:1?hunter2@db/spend',
    'postgres://keeper:a@b/hunter2@db/spend',
    'postgres://keeper:a@b/c?hunter2@db=1',
    'postgres://keeper:hunter2%@db/spend',
    'postgres://keeper:a@b/c#hunter2@db',
    'postgres://keeper:hunter2@one:1,two:2/spend',
    'postgres://keeper:hunter2@db:0/spend',
    'postgres://keeper:hunter2@db/spend?port=x',
  ])('%s is refused, without any part of it in the message', async (url) => {
    const message = await refusalOf(url);
    expect(message).toContain('the form postgres://user:password@host:5432/database');
    expect(message).not.toMatch(/hunter2|keeper:/);
  });

  it.each([
    ['?password=hunter2', 'has the unknown parameter password'],
    ['?sslmode=prefer', 'sslmode that is not supported'],
    ['?sslmode=no-verify', 'sslmode that is not supported'],
    ['?sslmode=verify-ca', 'has sslmode=verify-ca without sslrootcert'],
    ['?sslmode=require&sslrootcert=system', 'has sslrootcert=system with sslmode=require'],
    ['?sslrootcert=/ca.pem', 'has sslrootcert without sslmode'],
  ])('with %s is refused with the reason', async (query, reason) => {
    expect(await refusalOf(`postgres://keeper:hunter2@db/spend${query}`)).toContain(reason);
  });

  it('names one host', async () => {
    expect(await refusalOf('postgres://keeper@one,two:5432/spend')).toContain('names several hosts');
  });

  it('with sslmode=verify-full and no authority of its own trusts those of the program', async () => {
    for (const query of ['sslmode=verify-full', 'sslrootcert=system'])
      expect((await addressOf(`postgres://keeper@db/spend?${query}`)).options.ssl).toEqual({});
  });
});
