import { expect, it } from 'vitest';
import { commandForm, withCommandForm } from '../../../src/cli/ui/output.ts';

it.each([
  ['on the path', { script: '/usr/local/bin/tollkeeper' }, '/data', 'tollkeeper'],
  [
    'under npx',
    { script: '/cache/npx/node_modules/.bin/tollkeeper', npmCommand: 'exec' },
    '/',
    'npx tollkeeper',
  ],
  ['in a checkout', { script: '/srv/tollkeeper/dist/main.js' }, '/srv/tollkeeper', 'npx tollkeeper'],
  ['above a checkout', { script: '/srv/tollkeeper/dist/main.js' }, '/srv', 'node tollkeeper/dist/main.js'],
  ['elsewhere', { script: '/opt/toll keeper/dist/main.js' }, '/data', "node '/opt/toll keeper/dist/main.js'"],
])('the command of the program %s is the one that can be called there', (_, invocation, cwd, form) => {
  expect(commandForm(invocation, cwd)).toBe(form);
});

it('output names commands in the form that can be called, and changes nothing else', () => {
  let written = '';
  const output = withCommandForm(
    { write: (text) => void (written += text), isTerminal: false, columns: 80 },
    'npx tollkeeper',
    ['keys', 'run'],
  );
  output.write('what to do: run `tollkeeper keys list`\n  tollkeeper run daily-spend\n');
  const others = [
    'tollkeeper: no such job',
    'docker compose exec tollkeeper sh',
    'data/tollkeeper keys',
  ].join('; ');
  output.write(`${others}\n`);
  expect(written).toBe(
    `what to do: run \`npx tollkeeper keys list\`\n  npx tollkeeper run daily-spend\n${others}\n`,
  );
});
