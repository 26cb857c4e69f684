import { refused } from '../sink-faults.ts';

/** Reads and replaces the key in the text of a file, in which each character stands for one byte. */
export type FileForm = {
  /** Undefined if the key is missing or empty. @throws Fault sink-refused when the file has another format */
  readonly read: (text: string) => string | undefined;
  /** @throws Fault sink-refused */
  readonly write: (text: string, key: string) => string;
};

export const lineEndOf = (text: string): string => /\r?\n/.exec(text)?.[0] ?? '\n';

type Assignment = {
  readonly name: string;
  readonly at: number;
  readonly from: number;
  readonly to: number;
  readonly quote: string;
};

const opening = /[ \t]*(?:export[ \t]+)?([A-Za-z_][\w.-]*)[ \t]*=/y;
/** A quoted value may span lines; a quote closes it only if nothing but a comment follows on the line. */
const quoted = /[ \t]*(['"`])((?:\\\1|(?!\1)[^])*)\1(?=[ \t]*(?:#[^\r\n]*)?(?:\r?\n|$))/y;
const line = /[^\r\n]*/y;
const restOfLine = /[^\n]*(?:\n|$)/y;

const matchAt = (pattern: RegExp, text: string, at: number): RegExpExecArray | null => {
  pattern.lastIndex = at;
  return pattern.exec(text);
};

const valueAt = (text: string, at: number): Omit<Assignment, 'name' | 'at'> => {
  const inQuotes = matchAt(quoted, text, at);
  if (inQuotes !== null) {
    const [all, quote = '', value = ''] = inQuotes;
    const to = at + all.length - 1;
    return { from: to - value.length, to, quote };
  }
  const [rest = ''] = matchAt(line, text, at) ?? [];
  // A # after a space starts a comment; directly after the = some readers take it as a value.
  const comment = rest.search(/[ \t]#/);
  const uncommented = comment < 0 ? rest : rest.slice(0, comment);
  let to = at + uncommented.length;
  while (to > at && ' \t'.includes(text.charAt(to - 1))) to -= 1;
  const from = to === at ? at : at + (/^[ \t]*/.exec(uncommented)?.[0].length ?? 0);
  return { from, to, quote: '' };
};

const assignmentsIn = (text: string): readonly Assignment[] => {
  const found: Assignment[] = [];
  for (let at = 0; at < text.length;) {
    const begun = matchAt(opening, text, at);
    if (begun !== null) {
      const behind = at + begun[0].length;
      const value = valueAt(text, behind);
      found.push({ name: begun[1] ?? '', at: behind, ...value });
      at = value.to;
    }
    at += matchAt(restOfLine, text, at)?.[0].length ?? 1;
  }
  return found;
};

const lineEnds = /[ \t]*(?:#[^\n]*|\r*)(?:\n|$)/y;
/** Characters that end a word in a shell or start another part of it; a word in angle brackets is a placeholder. */
const moreThanWord = /[\s;&|()"'`]|\\$|^(?!<[^<>]*>$).*[<>]/s;
const begunAgain = /\n[ \t]*(?:export[ \t]+)?[A-Za-z_][\w.-]*[ \t]*=/;

const behindIt = 'its value is followed by something other than a comment';
const unclosed = 'its quote is not closed on this line';
const ofCommand = 'its value is a command substitution';

/** Why a value cannot be replaced without losing other content, by the rules of both shells and dotenv. */
const inTheWay = (text: string, { at, from, to, quote }: Assignment): string | undefined => {
  const value = text.slice(from, to);
  if (quote === '') {
    if (/^['"`]/.test(value) && !value.slice(1).includes(value.charAt(0))) return unclosed;
    if (/^\$\(|^`/.test(value)) return ofCommand;
    const another = from > at && /^[A-Za-z_]\w*=/.test(value);
    return another || moreThanWord.test(value) || matchAt(lineEnds, text, to) === null ? behindIt : undefined;
  }
  if (value.endsWith('\\') || (quote === "'" && value.includes("\\'")) || begunAgain.test(value))
    return unclosed;
  if (quote === '"') return /\$\(|`/.test(value) ? ofCommand : undefined;
  // Some readers treat backticks as quotes; shells execute their content.
  return quote === '`' && !/^(?![/.~])[\w.~+/=:@%,-]*$/.test(value) ? ofCommand : undefined;
};

const plain = /^[A-Za-z0-9_.~+/=:@%,-]+$/;
const quotable = /^[\x20-\x7e]+$/;

const written = (key: string, quote: string): string => {
  if (plain.test(key)) return key;
  if (quotable.test(key) && !/['"`\\$]/.test(key)) return quote === '' ? `'${key}'` : key;
  throw refused('the key contains characters that readers of dotenv files interpret differently', {
    advice: 'deliver it as a raw file or to a JSON file',
  });
};

const markLength = (text: string): number => (text.startsWith('\u00ef\u00bb\u00bf') ? 3 : 0);

/** The assignments of the variable. @throws Fault sink-refused when one cannot be replaced separately */
const ownIn = (body: string, name: string, what: string): readonly Assignment[] => {
  const own = assignmentsIn(body).filter((one) => one.name === name);
  for (const one of own) {
    const why = inTheWay(body, one);
    if (why === undefined) continue;
    const number = body.slice(0, one.at).split('\n').length;
    throw refused(`${name} on line ${number} of ${what} cannot be replaced separately: ${why}`, {
      advice: `put ${name} and its value on a separate line; nothing was written`,
    });
  }
  return own;
};

/** `NAME=value` lines as dotenv, shells, systemd and Docker read them; everything but the value is preserved. `what`: the file. */
export const dotenvForm = (name: string, what: string): FileForm => ({
  read: (text) => {
    const body = text.slice(markLength(text));
    const last = ownIn(body, name, what).at(-1);
    if (last === undefined) return undefined;
    return body.slice(last.from, last.to) || undefined;
  },
  write: (text, key) => {
    const mark = text.slice(0, markLength(text));
    let body = text.slice(mark.length);
    const own = ownIn(body, name, what);
    if (own.length === 0) {
      const end = lineEndOf(body);
      const before = body === '' || body.endsWith('\n') ? '' : end;
      return `${mark}${body}${before}${name}=${written(key, '')}${end}`;
    }
    // Readers differ in which of several assignments they use, so all are replaced.
    for (const { from, to, quote } of own.toReversed())
      body = body.slice(0, from) + written(key, quote) + body.slice(to);
    return mark + body;
  },
});

const withoutLineEnds = (text: string): string => {
  let end = text.length;
  while (end > 0 && '\r\n'.includes(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
};

/** The whole file is the key; a trailing newline is preserved. */
export const rawForm: FileForm = {
  read: (text) => withoutLineEnds(text) || undefined,
  write: (text, key) => key + (/\r?\n$/.exec(text.slice(-2))?.[0] ?? ''),
};
