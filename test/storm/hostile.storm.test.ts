import { afterAll, beforeAll, describe, it } from 'vitest';
import { hostileNames } from '../../src/sandbox/index.ts';
import { buildProgram, type BuiltProgram } from '../program/support/built-program.ts';
import { everyCommand, playHostile } from '../program/support/hostile-fixture.ts';
import { sampled } from '../support/storm.ts';

let program: BuiltProgram;
beforeAll(async () => {
  program = await buildProgram();
});
afterAll(() => program[Symbol.asyncDispose]());

/** The long form plays all of them. */
const played = sampled(hostileNames, 100);

describe.concurrent('a gateway with the hostile behaviour', { timeout: 600_000 }, () => {
  it.each(played)('%s leaves all commands with their valid data or a catalogue error', async (name) => {
    await playHostile(program, name, everyCommand);
  });
});
