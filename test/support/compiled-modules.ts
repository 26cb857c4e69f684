import { join } from 'node:path';
import { compileProgram } from '../program/support/built-program.ts';

/**
 * The modules as plain JavaScript, `warehouse/index.js` and so on, since a child process runs without the test's transformer.
 * Gives their folder, which goes with the run.
 */
export const compiledModules = async (): Promise<string> => join((await compileProgram()).folder, 'dist');
