import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { play } from './play.ts';
import { isTarget, targets } from './targets/registry.ts';

const usage = `npm run fuzz -- [TARGET...] [--seconds 60] [--seed N]

Plays the cases of test/fuzz/corpus and then new ones, in a process with limits of CPU and memory for each target.
A case that fails is written to the corpus.

Targets: ${Object.keys(targets).join(', ')}
  --seconds  for all targets together
  --seed     repeats a run
  --file     plays one file, for one target
`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seconds: { type: 'string', default: '60' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    file: { type: 'string' },
    current: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});

const names = positionals.length === 0 ? Object.keys(targets) : positionals;
const seconds = Number(values.seconds) / (values.current === undefined ? names.length : 1);
const corpusOf = (name: string): string => join('test/fuzz/corpus', name);

const playHere = async (name: string, current: string): Promise<void> => {
  if (!isTarget(name)) throw new RangeError(`unknown target ${name}\n${usage}`);
  const played = await play(targets[name], {
    seconds,
    seed: Number(values.seed),
    corpus: corpusOf(name),
    current,
    now: Date.now,
  });
  process.stdout.write(
    `${name.padEnd(10)} ${String(played.cases).padStart(7)} cases, longest ${played.longest.toFixed(2)} s of CPU, peak ${Math.round(played.megabytes)} MB\n`,
  );
};

/** A process that is ended by the system where a case never ends or takes all memory. */
const playApart = async (name: string): Promise<boolean> => {
  const folder = mkdtempSync(join(tmpdir(), 'fuzz-'));
  const current = join(folder, 'case');
  try {
    const child = spawn(
      'bash',
      [
        '-c',
        `ulimit -t ${Math.ceil(seconds * 2) + 60}; exec "$0" "$@"`,
        process.execPath,
        '--max-old-space-size=256',
        fileURLToPath(import.meta.url),
        name,
        '--seconds',
        String(seconds),
        '--seed',
        values.seed,
        '--current',
        current,
      ],
      { stdio: ['ignore', 'inherit', 'inherit'] },
    );
    const [code, signal] = (await once(child, 'close')) as [number | null, string | null];
    if (code === 0) return true;
    const text = existsSync(current) ? readFileSync(current) : Buffer.alloc(0);
    const kept = join(corpusOf(name), createHash('sha256').update(text).digest('hex').slice(0, 12));
    mkdirSync(corpusOf(name), { recursive: true });
    if (existsSync(current)) copyFileSync(current, kept);
    process.stdout.write(
      `${name}: failed (${signal ?? `exit code ${code}`}), seed ${values.seed}, case ${kept}\n`,
    );
    return false;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

if (values.help) process.stdout.write(usage);
else if (values.file !== undefined) {
  const [name = ''] = names;
  if (!isTarget(name)) throw new RangeError(`unknown target ${name}\n${usage}`);
  await using opened = await targets[name].open();
  await opened.run(readFileSync(values.file, 'utf8'));
} else if (values.current === undefined) {
  let failed = 0;
  for (const name of names) if (!(await playApart(name))) failed += 1;
  process.exitCode = failed === 0 ? 0 : 1;
} else for (const name of names) await playHere(name, values.current);
