import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { silentLog, type ProgressStep } from '../../src/core/index.ts';
import {
  callLocally,
  commandTable,
  connectToDaemon,
  listenForCommands,
  type CommandTable,
  type ContextOf,
  type Handlers,
} from '../../src/control/index.ts';
import { openControlFixture, rejection, type ControlFixture } from './support/control-fixture.ts';

const names = Object.keys(commandTable) as (keyof typeof commandTable)[];

type Schema = {
  readonly type?: string;
  readonly description?: string;
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly minimum?: number;
};

/** The least that fits a schema. */
const sampleOf = ({ type, anyOf, properties = {}, required = [], minimum = 0 }: Schema): unknown => {
  if (anyOf?.[0] !== undefined) return sampleOf(anyOf[0]);
  if (type === 'object')
    return Object.fromEntries(required.map((name) => [name, sampleOf(properties[name] ?? {})]));
  if (type === 'array') return [];
  if (type === 'integer') return minimum;
  return type === 'boolean' ? true : 'a';
};

const inputOf = (name: string, table: CommandTable = commandTable): object =>
  sampleOf(z.toJSONSchema(table[name]?.input ?? z.never()) as Schema) as object;

/** Answer with their name, what they were given, and what they can stream. */
const echoing = <Table extends CommandTable>(table: Table): Handlers<Table> =>
  Object.fromEntries(
    Object.keys(table).map((name) => [
      name,
      (input: unknown, context: object) => Promise.resolve({ name, input, context: Object.keys(context) }),
    ]),
  ) as unknown as Handlers<Table>;

type AnyCall = (name: string, input: unknown) => Promise<unknown>;

/** The same commands in this process, and over a socket. */
const bothWays = async (fixture: ControlFixture): Promise<readonly AnyCall[]> => {
  const handlers = echoing(commandTable);
  await fixture.listen(handlers as never);
  return [callLocally(commandTable, handlers), await fixture.daemon()] as unknown as AnyCall[];
};

const streamed = {
  nothing: ['signal'],
  progress: ['signal', 'progress'],
  results: ['signal', 'progress', 'onResult'],
};

describe('each command of the table', () => {
  it('is answered with and without a daemon by one handler with the input that the table defines', async () => {
    await using fixture = await openControlFixture();
    for (const call of await bothWays(fixture))
      for (const name of names) {
        const input = inputOf(name);
        const context = streamed[commandTable[name].streams];
        expect(await call(name, input), name).toEqual({ name, input, context });
      }
  });

  it('rejects a field that the table does not define, and names it, with and without a daemon', async () => {
    await using fixture = await openControlFixture();
    for (const call of await bothWays(fixture))
      for (const name of names) {
        const refused = await rejection(call(name, { ...inputOf(name), color: 'red' }));
        expect(refused['code'], name).toBe('wrong-use');
        expect(refused.message).toContain(`the command ${name} `);
        expect(refused.message).toContain('Unrecognized key: "color"');
      }
  });

  it('is rejected if the table does not contain its name, even if every object has such a property', async () => {
    await using fixture = await openControlFixture();
    for (const call of await bothWays(fixture))
      for (const name of ['other', 'constructor', 'keys/']) {
        expect((await rejection(call(name, {})))['code']).toBe('wrong-use');
      }
  });
});

/** The inputs of an object that have no description, by their path. */
const undescribed = (schema: z.ZodType): readonly string[] => {
  const { anyOf = [], properties = {} } = z.toJSONSchema(schema) as Schema;
  const fields = [properties, ...anyOf.map((one) => one.properties ?? {})].flatMap(Object.entries);
  return fields.flatMap(([name, { description }]) => (description === undefined ? [name] : []));
};

it('each input of a command has a description, which its help and the tools of mcp show', () => {
  expect(names.map((name) => [name, undescribed(commandTable[name].input)])).toEqual(
    names.map((name) => [name, []]),
  );
  expect(undescribed(z.object({ team: z.string() }))).toEqual(['team']);
});

it('a new command needs one entry in the table and its handler', async () => {
  await using fixture = await openControlFixture();
  const table = {
    ...commandTable,
    'keys/count': { input: z.strictObject({ upTo: z.int() }), streams: 'results' },
  } as const satisfies CommandTable;
  const handlers = {
    ...echoing(commandTable),
    'keys/count': async (
      { upTo },
      { progress, onResult }: ContextOf<'results', { readonly half: number }>,
    ): Promise<number> => {
      progress({ step: 'counting', total: upTo });
      onResult({ half: upTo / 2 });
      return upTo;
    },
  } satisfies Handlers<typeof table>;
  const { databasePath, clock } = fixture;
  const options = { databasePath, version: '1', clock };
  await using _daemon = await listenForCommands({ ...options, table, handlers, log: silentLog });
  const daemon = await connectToDaemon<typeof table, typeof handlers>(databasePath, options);
  for (const call of [callLocally(table, handlers), daemon]) {
    const steps: ProgressStep[] = [];
    const halves: number[] = [];
    const answer: number | undefined = await call?.(
      'keys/count',
      { upTo: 4 },
      { progress: (step) => steps.push(step), onResult: ({ half }) => halves.push(half) },
    );
    expect([answer, steps, halves]).toEqual([4, [{ step: 'counting', total: 4 }], [2]]);
  }
});
