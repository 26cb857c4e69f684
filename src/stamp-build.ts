import { chmodSync, writeFileSync } from 'node:fs';
import { systemClock } from './core/index.ts';

// Part of the build: the program refuses to start on a clock that lies before this moment.
const builtAt = new Date(systemClock.now()).toISOString();
writeFileSync(new URL('build.json', import.meta.url), `${JSON.stringify({ builtAt })}\n`);

// The command `tollkeeper` is a link to it.
chmodSync(new URL('main.js', import.meta.url), 0o755);
