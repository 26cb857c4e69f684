import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { focusVersions } from '../../../src/core/index.ts';
import { checkRules, isFailed, type DataSetFile, type Finding } from './check-rules.ts';
import { readOfficialModel, type OfficialRules } from './official-model.ts';
import { describeRule, readOwnRules, type Rule } from './rule.ts';
import { exportTestMonths } from './test-months.ts';

const usage = `npm run focus -- [--version 1.4|1.2] [--model FILE] [FILE…]
  FILE       exports to check, CSV or Parquet; a name with “billing-period” is of the data set BillingPeriod
             (default: test months of two accounts, which are made first)
  --version  the rules of the project for this version (default: 1.4)
  --model    the rules of this model of the FinOps Foundation in their place
`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    version: { type: 'string', default: focusVersions[0] },
    model: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});

type Rules = { readonly version: string; readonly rules: readonly Rule[]; readonly model?: OfficialRules };

const readRules = async (): Promise<Rules> => {
  if (values.model !== undefined) {
    const model = readOfficialModel(await readFile(values.model, 'utf8'));
    return { version: model.version, rules: model.rules, model };
  }
  const version = focusVersions.find((one) => one === values.version);
  if (version === undefined) throw new RangeError(`${values.version} is no version of FOCUS\n${usage}`);
  return { version, rules: readOwnRules(await readFile('test/focus/rules/rules.yaml', 'utf8'), version) };
};

const outcomes = ['holds', 'no-rows', 'no-column', 'no-data-set', 'not-interpreted', 'broken'] as const;

const print = (text: string): void => void process.stdout.write(`${text}\n`);

const counted = (findings: readonly Finding[]): string =>
  outcomes
    .map((outcome) => [outcome, findings.filter((one) => one.outcome === outcome).length] as const)
    .filter(([, count]) => count > 0)
    .map(([outcome, count]) => `${count} ${outcome}`)
    .join(', ');

const show = (title: string, findings: readonly Finding[]): void => {
  const must = findings.filter(({ rule }) => rule.level === 'must');
  print(`${title}: ${must.length} rules that must hold: ${counted(must)}`);
  const others = findings.filter(({ rule }) => rule.level !== 'must');
  if (others.length > 0) print(`  ${others.length} rules that should or may hold: ${counted(others)}`);
  for (const { rule } of must.filter(({ outcome }) => outcome === 'not-interpreted'))
    print(`  ${rule.id} is not interpreted: ${describeRule(rule)}`);
  for (const { rule, rows, broken } of findings.filter(isFailed))
    print(`  ${rule.id} is broken in ${broken} of ${rows} rows: ${describeRule(rule)}`);
};

const check = async (title: string, files: readonly DataSetFile[], rules: readonly Rule[]): Promise<void> => {
  const findings = await checkRules(files, rules);
  show(title, findings);
  if (findings.some(isFailed)) process.exitCode = 1;
};

const main = async (): Promise<void> => {
  const { version, rules, model } = await readRules();
  print(`FOCUS ${version}: ${rules.length} rules`);
  if (model !== undefined)
    print(
      `  left out: ${Object.entries(model.leftOut)
        .map(([reason, count]) => `${count} ${reason}`)
        .join(', ')}`,
    );
  if (positionals.length > 0) {
    const files = positionals.map((path): DataSetFile => ({
      path,
      dataSet: path.includes('billing-period') ? 'BillingPeriod' : 'CostAndUsage',
    }));
    await check('files', files, rules);
    return;
  }
  await using months = await exportTestMonths();
  for (const exported of months.exports.filter((one) => one.version === version)) {
    const { account, month, currency, spend, rows, corrections } = exported;
    await check(
      `${account} ${month}: ${currency} ${spend}, ${rows} rows, ${corrections} of corrections`,
      exported.files,
      rules,
    );
  }
};

if (values.help) process.stdout.write(usage);
else await main();
