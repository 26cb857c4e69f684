import { join } from 'node:path';
import { buildProgram } from '../program/support/built-program.ts';

/**
 * The modules as plain JavaScript, `warehouse/index.js` and so on, since a child process runs without the test's transformer.
 * Gives their folder, which goes with the run: it is that of the built program.
 */
export const compiledModules = async (): Promise<string> => join((await buildProgram()).folder, 'dist');
