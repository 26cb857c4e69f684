import { readFile, readdir } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { openFolder } from '../support/program.ts';

/** Commands that have subcommands. */
const groups: ReadonlySet<string> = new Set(['alerts', 'keys', 'outbox', 'reports']);

const code = /`tollkeeper ([^`\n]+)`|^ +(?:tollkeeper|node dist\/main\.js) (.+)$/gm;

/** Commands that a Markdown page shows, such as `keys plan`, each with its options. Pure. */
const commandsOf = (markdown: string): ReadonlyMap<string, ReadonlySet<string>> => {
  const found = new Map<string, Set<string>>();
  for (const [, span, line] of markdown.matchAll(code)) {
    const [name = '', ...rest] = (span ?? line ?? '').replace(/\s+#.*$/, '').split(/\s+/);
    const [next = ''] = rest;
    const command = groups.has(name) && /^[a-z]/.test(next) ? `${name} ${next}` : name;
    const options = found.get(command) ?? new Set<string>();
    found.set(command, options);
    for (const word of rest) if (/^--?[a-z]/.test(word)) options.add(word);
  }
  return found;
};

const root = new URL('../../', import.meta.url);

const readPages = async (): Promise<string> => {
  const names = (await readdir(new URL('docs/', root))).filter((name) => name.endsWith('.md'));
  const pages = ['README.md', ...names.map((name) => `docs/${name}`)];
  return (await Promise.all(pages.map((page) => readFile(new URL(page, root), 'utf8')))).join('\n');
};

describe('commands in the documentation', () => {
  it('exist with every option that a page mentions', async () => {
    await using folder = await openFolder();
    const named = commandsOf(await readPages());
    expect(named.size).toBeGreaterThan(20);
    const unknown: string[] = [];
    for (const [command, options] of named) {
      const { stdout } = await folder.run([...command.split(' '), '--help']);
      const [usage = ''] = stdout.split('\n');
      // A list of subcommands has one that runs by default.
      const isKnown = new RegExp(`^Usage: tollkeeper ${command}(?: |$)`).test(usage);
      if (!isKnown) unknown.push(command);
      unknown.push(
        ...[...options]
          .filter((option) => !new RegExp(`(?<![\\w-])${option}(?![\\w-])`).test(stdout))
          .map((option) => `${command} ${option}`),
      );
    }
    expect(unknown).toEqual([]);
  });

  it('are read from code spans and code lines with their options', () => {
    const page = [
      'Run `tollkeeper keys plan rotate-prod --all`, not tollkeeper keys --wide.',
      '',
      '    tollkeeper run daily-spend --dry-run     # not --json',
      '    node dist/main.js outbox --state failed',
      '    tollkeeper outbox resend 42 -c config',
    ].join('\n');
    expect([...commandsOf(page)].map(([command, options]) => [command, ...options])).toEqual([
      ['keys plan', '--all'],
      ['run', '--dry-run'],
      ['outbox', '--state'],
      ['outbox resend', '-c'],
    ]);
  });
});
