import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { parseMailbox } from '../../core/index.ts';
import { packageRoot } from '../../package-root.ts';
import type { InitAnswers } from './answers.ts';

/** A file to write, by its path from the folder. */
export type InitFile = { readonly path: string; readonly text: string; readonly isSecret?: true };

export type FileOptions = {
  readonly answers: InitAnswers;
  /** Name of the container image. */
  readonly image: string;
  /** Of a trial with `tollkeeper sandbox`: its Admin Key, and where its file will be. */
  readonly sandbox?:
    | { readonly adminKey: string; readonly keyFile: string; readonly mailPort: number }
    | undefined;
};

const shipped = async (path: string): Promise<string> =>
  readFile(fileURLToPath(new URL(path, packageRoot)), 'utf8');

type Change = readonly [from: string, to: string];

/** Keeps the comment of a line in its column where there is room. */
const changeLine = (line: string, changes: readonly Change[]): string => {
  if (/^\s*#/.test(line)) return line;
  const found = line.indexOf(' # ');
  const at = found === -1 ? line.length : found;
  const [code, comment] = [line.slice(0, at).trimEnd(), line.slice(at).trimStart()];
  const changed = changes.reduce((text, [from, to]) => text.replaceAll(from, () => to), code);
  if (changed === code) return line;
  if (comment === '') return changed;
  const column = line.length - comment.length;
  return `${changed.padEnd(column - 1)} ${comment}`;
};

/** A literal of the YAML that contains no reference. */
const literal = (text: string): string => JSON.stringify(text.replaceAll('${', () => '$${'));

/** The shipped configuration with the answers in place of its examples. */
const configFile = async (path: string, changes: readonly Change[]): Promise<InitFile> => {
  const text = await shipped(path);
  const lines = text.split('\n').map((line) => changeLine(line, changes));
  return { path, text: lines.join('\n') };
};

const withName = (from: string): string => (parseMailbox(from)?.name === '' ? `Tollkeeper <${from}>` : from);

const recipients: readonly string[] = [
  '[ops@example.com, finance@example.com]',
  '[ops@example.com]',
  '[finance@example.com]',
  '[platform@example.com]',
];

/** All files of a new folder. */
export const initFiles = async ({ answers, image, sandbox }: FileOptions): Promise<readonly InitFile[]> => {
  const { gateway, mailTo, mailFrom, zone, since } = answers;
  const changes: readonly Change[] = [
    ['timezone: Europe/Berlin', `timezone: ${zone}`],
    ['"${GATEWAY_BASE_URL}"', literal(gateway)],
    ['"Tollkeeper <reports@example.com>"', literal(withName(mailFrom))],
    ['since: 2026-01-01', `since: ${since}`],
    // The longest list first, since a shorter one could be a part of it.
    ...recipients.map((list): Change => [
      list,
      `[${/^[\w.+-]+@[\w.-]+$/.test(mailTo) ? mailTo : literal(mailTo)}]`,
    ]),
    ...(sandbox === undefined
      ? []
      : ([
          ['"${GATEWAY_ADMIN_KEY}"', JSON.stringify(`\${file:${sandbox.keyFile}}`)],
          ['"${SMTP_URL}"', JSON.stringify(`smtp://127.0.0.1:${sandbox.mailPort}`)],
        ] satisfies readonly Change[])),
  ];
  const compose = await shipped('templates/compose.yaml');
  return [
    await configFile('config/tollkeeper.yaml', changes),
    await configFile('config/jobs/spend.yaml', changes),
    await configFile('config/jobs/insight.yaml', changes),
    { path: 'config/tollkeeper.schema.json', text: await shipped('config/tollkeeper.schema.json') },
    { path: 'config/jobs.schema.json', text: await shipped('config/jobs.schema.json') },
    { path: '.env.example', text: await shipped('templates/env.example') },
    { path: '.gitignore', text: await shipped('templates/gitignore') },
    {
      path: 'compose.yaml',
      text: compose.replace(
        'image: tollkeeper',
        () => `image: ${/^[\w./:@-]+$/.test(image) ? image : JSON.stringify(image)}`,
      ),
    },
    ...(sandbox === undefined
      ? []
      : [{ path: 'secrets/gateway-admin-key', text: `${sandbox.adminKey}\n`, isSecret: true as const }]),
  ];
};
