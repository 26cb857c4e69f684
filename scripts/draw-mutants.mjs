// Draws mutants of the sources and runs the tests of their modules: `node scripts/draw-mutants.mjs --seed N [--count 30]`.
// Proves that a change of tests loses no protection: what is killed before is killed after. It changes files of this checkout and restores
// them, so run it in a worktree of its own.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { parseSync } from 'oxc-parser';

const { values } = parseArgs({
  options: { seed: { type: 'string' }, count: { type: 'string', default: '30' } },
});
if (values.seed === undefined) throw new Error('no seed: add --seed with a number, such as --seed 7');

/** A sequence of fractions that only the seed determines (mulberry32). */
const sequenceOf = (seed) => () => {
  seed = (seed + 0x6d2b79f5) | 0;
  let bits = Math.imul(seed ^ (seed >>> 15), 1 | seed);
  bits = (bits + Math.imul(bits ^ (bits >>> 7), 61 | bits)) ^ bits;
  return ((bits ^ (bits >>> 14)) >>> 0) / 4_294_967_296;
};
const next = sequenceOf(Number(values.seed));
const pick = (list) => list[Math.floor(next() * list.length)];

const swapped = { '<': '<=', '<=': '<', '>': '>=', '>=': '>', '===': '!==', '!==': '===', '+': '-', '-': '+', '&&': '||', '||': '&&' };
const isText = ({ type, value }) => type === 'TemplateLiteral' || (type === 'Literal' && typeof value === 'string');

/** The mutants of one node: what they replace, by what, and how they are called. */
const mutantsOf = (node, text) => {
  const part = ({ start, end }) => text.slice(start, end);
  if (node.type === 'IfStatement' || node.type === 'ConditionalExpression')
    return [{ ...node.test, to: `!(${part(node.test)})`, kind: 'condition' }];
  if (node.type === 'ExpressionStatement' && /^(?:Call|Await)Expression$/.test(node.expression.type))
    return [{ ...node, to: ';', kind: 'call' }];
  if (!/^(?:Binary|Logical)Expression$/.test(node.type) || swapped[node.operator] === undefined) return [];
  if (isText(node.left) || isText(node.right)) return [];
  const { end } = node.left;
  const at = end + text.slice(end, node.right.start).indexOf(node.operator);
  return [{ start: at, end: at + node.operator.length, to: swapped[node.operator], kind: node.operator }];
};

const walk = (node, text, found = []) => {
  if (typeof node !== 'object' || node === null) return found;
  if (typeof node.type === 'string') found.push(...mutantsOf(node, text));
  for (const child of Object.values(node)) walk(child, text, found);
  return found;
};

const files = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts') && file.includes('/') && existsSync(`test/${file.split('/')[0]}`))
  .sort();
const drawn = [];
while (drawn.length < Number(values.count)) {
  const file = pick(files);
  const text = readFileSync(`src/${file}`, 'utf8');
  const mutants = walk(parseSync(file, text).program, text);
  if (mutants.length > 0) drawn.push({ file, text, ...pick(mutants) });
}

let killed = 0;
for (const { file, text, start, end, to, kind } of drawn) {
  const mutant = text.slice(0, start) + to + text.slice(end);
  writeFileSync(`src/${file}`, mutant);
  try {
    const [module] = file.split('/');
    const argv = ['vitest', 'run', '--config', 'test/vitest.config.ts', '--bail', '1', `test/${module}/`];
    const { status } = spawnSync('npx', argv, {
      env: { ...process.env, TOLLKEEPER_TESTS: 'in-process' },
      stdio: 'ignore',
      timeout: 900_000,
    });
    if (status !== 0) killed += 1;
    const line = text.slice(0, start).split('\n').length;
    const was = text.slice(start, end).split('\n')[0];
    console.log(`${status === 0 ? 'SURVIVED' : 'killed  '} ${file}:${line} ${kind}: ${was} → ${to.split('\n')[0]}`);
  } finally {
    writeFileSync(`src/${file}`, text);
  }
}
console.log(`${killed} of ${drawn.length} killed`);
