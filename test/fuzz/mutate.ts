import type { Random } from './random.ts';

/** How texts of one kind are taken apart, and what is put into them. */
export type Grammar = {
  /** Matches one token; what lies between tokens stays. */
  readonly token: RegExp;
  readonly words: readonly string[];
  /** Brackets that are nested. */
  readonly brackets: readonly (readonly [string, string])[];
};

/** A case is at most so long: the bounds on time and memory hold for longer texts through limits of their own. */
const longest = 2_000_000;

const numbers = [
  '0',
  '-1',
  '1e999',
  '-0',
  '9007199254740993',
  '99999999999999999999999999',
  '0x10',
  'NaN',
  '1e-400',
  '253402300800',
];

/** No longer than a case. */
const repeated = (text: string, times: number): string =>
  text.repeat(Math.min(times, Math.ceil(longest / Math.max(1, text.length))));

/** Changes a text at the borders of its tokens. */
const change = (
  tokens: readonly string[],
  others: readonly string[],
  grammar: Grammar,
  random: Random,
): string[] => {
  const at = random.below(tokens.length + 1);
  const to = Math.min(tokens.length, at + 1 + random.below(4));
  const part = tokens.slice(at, to);
  const put = (...pieces: readonly string[]): string[] => [
    ...tokens.slice(0, at),
    ...pieces,
    ...tokens.slice(to),
  ];
  switch (random.below(8)) {
    case 0:
      return put();
    case 1:
      return put(random.pick(grammar.words));
    case 2:
      return put(random.pick(numbers));
    case 3: {
      return put(repeated(part.join(''), 2 ** random.below(14)));
    }
    case 4: {
      const [open, close] = random.pick(grammar.brackets);
      const depth = 2 ** random.below(13);
      return put(open.repeat(depth), ...part, close.repeat(depth));
    }
    case 5: {
      const from = random.below(others.length + 1);
      return put(...others.slice(from, from + 1 + random.below(12)));
    }
    case 6:
      return put(String.fromCharCode(random.below(0x10000)).repeat(1 + random.below(3)), ...part);
    default:
      return put(repeated(random.pick(grammar.words), 2 ** random.below(16)), ...part);
  }
};

export const mutated = (corpus: readonly string[], grammar: Grammar, random: Random): string => {
  let text = random.pick(corpus);
  const others = random.pick(corpus).match(grammar.token) ?? [];
  for (let changes = 1 + random.below(4); changes > 0; changes -= 1) {
    const tokens = text.match(grammar.token) ?? [];
    text = change(tokens, others, grammar, random).join('').slice(0, longest);
  }
  return text;
};
