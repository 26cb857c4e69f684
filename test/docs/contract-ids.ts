/** Parts of docs/gateway.md that a test must name. */
export type ContractId = {
  /** `G8.3`, `G14.1.max_tokens`, `G10.4.feed_separator`, `G10.7.open` */
  readonly id: string;
  readonly kind: 'statement' | 'row' | 'variant' | 'open';
};

/** Tables whose rows are fields, values or limits; others list endpoints, sections and transitions. */
const idHeaders = new Set(['field', 'fields', 'parameter', 'value', 'code', 'header', 'limit', 'column']);

const cellsOf = (line: string): readonly string[] =>
  line
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim());

const namesIn = (text: string): readonly string[] =>
  Array.from(text.matchAll(/`([^`]+)`/g), ([, name = '']) => name);

/** Variants of a Sandbox line, without those that belong to the statement in parentheses behind them. */
const ownVariants = (line: string): readonly string[] => {
  const [variants = ''] = line.split(/the faults? /);
  return variants
    .split(/[;,]/)
    .filter((part) => !/\(G\d+\.\d+\)/.test(part))
    .flatMap((part) => namesIn(part).filter((name) => /^[a-z][a-z\d]*(?:_[a-z\d]+)*$/.test(name)));
};

/** Every ID of the contract, in its order. */
export const contractIds = (contract: string): readonly ContractId[] => {
  const ids: ContractId[] = [];
  let statement = '';
  let header = '';
  let isOpen = false;
  let hasVariant = false;
  const endStatement = (): void => {
    if (statement !== '' && isOpen && !hasVariant) ids.push({ id: `${statement}.open`, kind: 'open' });
    [isOpen, hasVariant, header] = [false, false, ''];
  };
  for (const line of contract.split('\n')) {
    const begun = /^\*\*(G\d+\.\d+)\*\*/.exec(line)?.[1];
    if (begun !== undefined || /^#{2,3} /.test(line)) {
      endStatement();
      statement = begun ?? '';
      if (begun !== undefined) ids.push({ id: begun, kind: 'statement' });
      continue;
    }
    if (statement === '') continue;
    if (!line.startsWith('|')) header = '';
    else if (header === '') header = cellsOf(line)[0] ?? '';
    else if (idHeaders.has(header) && !/^\|[-| ]+$/.test(line))
      for (const name of namesIn(cellsOf(line)[0] ?? '')) ids.push({ id: `${statement}.${name}`, kind: 'row' });
    if (line.startsWith('- **Open**')) isOpen = true;
    if (line.startsWith('- **Sandbox**'))
      for (const name of ownVariants(line)) {
        hasVariant = true;
        ids.push({ id: `${statement}.${name}`, kind: 'variant' });
      }
  }
  endStatement();
  return ids;
};

const idPattern = /\bG\d+\.\d+(?:\.[A-Za-z\d][\w:-]*(?:\[\])?(?:\.[A-Za-z][\w-]*(?:\[\])?)*)?/g;

/** The IDs that a text names. */
export const idsIn = (text: string): readonly string[] => text.match(idPattern) ?? [];
