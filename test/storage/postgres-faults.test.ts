import { describe, expect, it } from 'vitest';
import { fault } from '../../src/core/index.ts';
import { endsConnection, postgresFault } from '../../src/storage/postgres/faults.ts';
import { refusalOf, schemaRefusalOf, type ServerFacts } from '../../src/storage/postgres/server-facts.ts';

const where = 'postgres://keeper@db:5432/spend';
const thrown = (code: string, message = 'as the server says'): Error =>
  Object.assign(new Error(message), { code });

const facts: ServerFacts = {
  version: '15.4',
  version_number: 150_004,
  encoding: 'UTF8',
  standby: false,
  read_only: false,
  place: 'public',
  may_create: true,
  ours: false,
  table: null,
  now: 0,
};

describe('an error of PostgreSQL', () => {
  it.each([
    ['08006', 'database-unreachable', true, true],
    ['08P01', 'database-unreachable', true, true],
    ['57P01', 'database-unreachable', true, true],
    ['57P02', 'database-unreachable', true, true],
    ['57P03', 'database-unreachable', true, true],
    ['53300', 'database-unreachable', true, true],
    ['25P03', 'database-unreachable', true, true],
    ['ECONNRESET', 'database-unreachable', true, true],
    ['EPIPE', 'database-unreachable', true, true],
    ['ETIMEDOUT', 'database-unreachable', true, true],
    ['25006', 'database-refused', true, true],
    ['28000', 'database-refused', false, false],
    ['28P01', 'database-refused', false, false],
    ['3D000', 'database-refused', false, false],
    ['42501', 'database-refused', false, false],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', 'database-refused', false, false],
    ['53100', 'disk-full', true, false],
    ['57014', 'warehouse-failed', true, false],
    ['40001', 'warehouse-failed', true, false],
    ['40P01', 'warehouse-failed', true, false],
    ['23505', 'warehouse-failed', false, false],
  ])('with the code %s is %s', (code, expected, retryHelps, ends) => {
    const error = postgresFault(thrown(code), where);
    expect(error).toMatchObject({ code: expected, retryHelps });
    expect(error.message.startsWith(`${where}: `)).toBe(true);
    expect(endsConnection(error)).toBe(ends);
  });

  it('that comes without a text is named by its code', () => {
    const several = Object.assign(new AggregateError([thrown('ECONNREFUSED')], ''), { code: 'ECONNREFUSED' });
    expect(postgresFault(several, where).message).toBe(`${where}: no server listens there`);
    expect(postgresFault(thrown('EMFILE', ''), where).message).toBe(`${where}: EMFILE`);
  });

  it('that is of the catalogue stays as it is', () => {
    const known = fault('disk-full', 'the volume is full');
    expect(postgresFault(known, where)).toBe(known);
  });
});

describe('a server', () => {
  it.each([
    [{ version: '12.9', version_number: 120_009 }, 'the server is PostgreSQL 12.9', false],
    [{ encoding: 'SQL_ASCII' }, 'the database has the encoding SQL_ASCII', false],
    [{ standby: true, read_only: true }, 'the server is a standby', true],
    [{ read_only: true }, 'transactions are read-only', true],
    [{ table: 'public.orders' }, 'it has the table public.orders', false],
    [{ place: null }, 'the role names no schema', false],
  ])('with %o is refused', (given, message, retryHelps) => {
    const refusal = refusalOf({ ...facts, ...given }, where);
    expect(refusal).toMatchObject({ code: 'database-refused', retryHelps });
    expect(refusal?.message).toContain(`${where}: `);
    expect(refusal?.message).toContain(message);
  });

  it('of version 13 with an empty database, or with tables of Tollkeeper, is accepted', () => {
    expect(refusalOf({ ...facts, version_number: 130_000 }, where)).toBeUndefined();
    expect(refusalOf({ ...facts, ours: true, table: 'public.runs' }, where)).toBeUndefined();
  });

  it('needs the right to create tables only where tables are missing', () => {
    const range = { oldest: 30, newest: 34 };
    const reader = { ...facts, may_create: false };
    expect(schemaRefusalOf(34, range, reader, where)).toBeUndefined();
    for (const reached of [0, 33])
      expect(schemaRefusalOf(reached, range, reader, where)?.code).toBe('database-refused');
  });
});
