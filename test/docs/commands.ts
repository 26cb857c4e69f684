/** Commands that have subcommands. */
const groups: ReadonlySet<string> = new Set(['keys', 'outbox', 'reports']);

const code = /`tollkeeper ([^`\n]+)`|^ +(?:tollkeeper|node dist\/main\.js) (.+)$/gm;

/** Commands that a Markdown page shows, such as `keys plan`, each with its options. Pure. */
export const commandsOf = (markdown: string): ReadonlyMap<string, ReadonlySet<string>> => {
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
