import { readFile } from 'node:fs/promises';
import { parse } from 'csv-parse/sync';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { focusVersions, money, sumMoney } from '../../../src/core/index.ts';
import { openFolder, type Folder } from '../../support/program.ts';
import { checkRules, isFailed, type DataSetFile, type Finding } from './check-rules.ts';
import { readOfficialModel } from './official-model.ts';
import { readOwnRules, type Check, type DataSet, type Rule } from './rule.ts';
import { exportTestMonths, type TestExport } from './test-months.ts';

type Line = Readonly<Record<string, string>>;

const ownRules = await readFile(new URL('rules.yaml', import.meta.url), 'utf8');
const rulesOf = (version: TestExport['version']): readonly Rule[] => readOwnRules(ownRules, version);

const linesOf = async ({ path }: DataSetFile): Promise<readonly Line[]> =>
  parse(await readFile(path, 'utf8'), { columns: true }) as readonly Line[];

/** A cell that is an empty text, where an empty cell is nothing. */
const emptyText = '\u0000';

/** Each cell in quotes, but for those that are empty. */
const csvOf = (lines: readonly Line[]): string => {
  const names = Object.keys(lines[0] ?? {});
  const cell = (text = ''): string => {
    if (text === '') return '';
    return text === emptyText ? '""' : `"${text.replaceAll('"', '""')}"`;
  };
  return [names, ...lines.map((line) => names.map((name) => line[name]))]
    .map((cells) => `${cells.map(cell).join(',')}\n`)
    .join('');
};

const failedIds = (findings: readonly Finding[]): readonly string[] =>
  findings.filter(isFailed).map(({ rule }) => rule.id);

/** Names of the functions of a check, with the type or format that is asked for. */
const functionsOf = (check: Check): readonly string[] => {
  if (check.check === 'all' || check.check === 'any') return [check.check, ...check.of.flatMap(functionsOf)];
  if (check.check === 'type') return [`type ${check.type}`];
  return [check.check === 'format' ? `format ${check.format}` : check.check];
};

describe('the export of a month', () => {
  let months: Awaited<ReturnType<typeof exportTestMonths>>;
  let folder: Folder;
  beforeAll(async () => {
    months = await exportTestMonths();
    folder = await openFolder();
  });
  afterAll(async () => {
    await folder[Symbol.asyncDispose]();
    await months[Symbol.asyncDispose]();
  });

  const exported = (account: string, month: string, version: TestExport['version'] = '1.4'): TestExport => {
    const found = months.exports.find(
      (one) => one.account === account && one.month === month && one.version === version,
    );
    if (found === undefined) throw new Error(`${month} of ${account} in ${version} is not exported`);
    return found;
  };

  it('keeps the rules of its version, and adds up to the statement of its account in its currency', async () => {
    expect(months.exports).toHaveLength(8);
    for (const { version, spend, currency, rows, files } of months.exports) {
      expect(failedIds(await checkRules(files, rulesOf(version)))).toEqual([]);
      const [charges] = files.filter(({ dataSet }) => dataSet === 'CostAndUsage');
      const lines = charges === undefined ? [] : await linesOf(charges);
      expect(lines).toHaveLength(rows);
      const own = lines.filter((line) => line['ChargeClass'] === '');
      expect(sumMoney(own.map((line) => money(line['BilledCost'] ?? '')))).toBe(money(spend));
      expect(new Set(lines.map((line) => line['BillingCurrency']))).toEqual(new Set([currency]));
    }
    expect(exported('main', '2026-10').currency).not.toBe(exported('china', '2026-10').currency);
  });

  it('has charges of each kind: tokens, calls that cannot be split, refunds, rounding and corrections', async () => {
    const [october, november] = await Promise.all(
      ['2026-10', '2026-11'].map(async (month) => {
        const [charges] = exported('main', month).files;
        return charges === undefined ? [] : linesOf(charges);
      }),
    );
    const kinds = (lines: readonly Line[] = []) =>
      new Set(
        lines.map((line) => {
          if (line['ChargeClass'] !== '') return 'correction';
          if (line['ChargeCategory'] === 'Adjustment') return 'rounding';
          if (line['BilledCost']?.startsWith('-') === true) return 'refund';
          return line['ConsumedUnit'] ?? '';
        }),
      );
    expect(kinds(october)).toEqual(new Set(['Tokens', 'Calls', 'refund', 'rounding']));
    expect(kinds(november)).toEqual(new Set(['Tokens', 'Calls', 'refund', 'rounding', 'correction']));
  });

  it('leaves no rule unchecked, but for those about taxes, purchases and credits, which a gateway does not have', async () => {
    const { files } = exported('main', '2026-11');
    const findings = await checkRules(files, rulesOf('1.4'));
    const unchecked = findings.filter(({ outcome }) => outcome !== 'holds');
    expect(unchecked.map(({ rule, outcome }) => [rule.id, outcome])).toEqual(
      [
        'PricingQuantity-C-004-C',
        'ChargeFrequency-C-004-C',
        'EffectiveCost-C-017-C',
        'SkuPriceId-C-004-C',
        'SkuId-C-004-C',
        'PricingCategory-C-003-C',
      ].map((id) => [`CAU-${id}`, 'no-rows']),
    );
  });

  /** What breaks a rule: the cells of the first line, or a column that is left out, by the function that finds it. */
  const planted: readonly {
    readonly by: string;
    readonly cells?: Line;
    readonly without?: string;
    readonly dataSet?: DataSet;
    readonly version?: TestExport['version'];
    readonly rule: string;
  }[] = [
    { by: 'present', without: 'BilledCost', rule: 'CAU-CostAndUsage-D-006-M' },
    { by: 'differs', cells: { BillingAccountId: '' }, rule: 'CAU-BillingAccountId-C-001-M' },
    { by: 'equals', cells: { SkuId: '' }, rule: 'CAU-SkuMeter-C-004-C' },
    { by: 'equals', cells: { ProviderName: 'Another' }, rule: 'BilledCost-C-005-C', version: '1.2' },
    { by: 'any', cells: { ChargeFrequency: 'Sometimes' }, rule: 'CAU-ChargeFrequency-C-003-M' },
    { by: 'all', cells: { ServiceCategory: 'Analytics' }, rule: 'CAU-ServiceSubcategory-C-004-M' },
    { by: 'type decimal', cells: { BilledCost: 'much' }, rule: 'CAU-BilledCost-C-001-M' },
    { by: 'type time', cells: { ChargePeriodEnd: 'soon' }, rule: 'CAU-ChargePeriodEnd-C-001-M' },
    { by: 'format text', cells: { HostProviderName: emptyText }, rule: 'CAU-HostProviderName-C-002-M' },
    { by: 'format number', cells: { BilledCost: '+1' }, rule: 'CAU-BilledCost-C-002-M' },
    { by: 'format number', cells: { BilledCost: '1,000.5' }, rule: 'CAU-BilledCost-C-002-M' },
    { by: 'format time', cells: { ChargePeriodEnd: '2026-11-02' }, rule: 'CAU-ChargePeriodEnd-C-002-M' },
    { by: 'format currency', cells: { BillingCurrency: 'usd' }, rule: 'CAU-BillingCurrency-C-003-M' },
    { by: 'format key-value', cells: { Tags: '{"team":["a"]}' }, rule: 'CAU-Tags-C-001-M' },
    { by: 'format key-value', cells: { Tags: '{"team":"a","team":"b"}' }, rule: 'CAU-Tags-C-001-M' },
    { by: 'national-currency', cells: { BillingCurrency: 'ZZZ' }, rule: 'CAU-BillingCurrency-C-006-M' },
    { by: 'per-value', cells: { SkuId: 'another' }, rule: 'CAU-SkuPriceId-C-008-M' },
    { by: 'same', cells: { ChargeCategory: 'Tax', EffectiveCost: '-1' }, rule: 'CAU-EffectiveCost-C-017-C' },
    {
      by: 'compares',
      dataSet: 'BillingPeriod',
      cells: { BillingPeriodLastUpdated: '2026-01-01T00:00:00Z' },
      rule: 'BIP-BillingPeriodLastUpdated-C-005-M',
    },
  ];

  it.each(planted)(
    'breaks $rule by $cells $without, which the function “$by” finds',
    async ({ cells, without, dataSet = 'CostAndUsage', version = '1.4', rule }) => {
      const [file] = exported('main', '2026-11', version).files.filter((one) => one.dataSet === dataSet);
      const [first = {}, ...others] = file === undefined ? [] : await linesOf(file);
      const lines = [{ ...first, ...cells }, ...others].map((line) =>
        Object.fromEntries(Object.entries(line).filter(([name]) => name !== without)),
      );
      const path = await folder.write('planted.csv', csvOf(lines));
      const about = rulesOf(version).filter(({ id }) => id === rule);
      expect(failedIds(await checkRules([{ dataSet, path }], about))).toEqual([rule]);
    },
  );

  it('has a planted fault for each function of the rules', () => {
    const used = new Set(
      focusVersions.flatMap((version) => rulesOf(version).flatMap(({ needs }) => functionsOf(needs))),
    );
    // Every cell of a CSV is a text.
    for (const always of ['type text', 'type object']) used.delete(always);
    expect(new Set(planted.map(({ by }) => by))).toEqual(used);
  });
});

describe('a model of the FinOps Foundation', () => {
  const criteria = (level: string, requirement: object, condition: object = {}) => ({
    Status: 'Active',
    Type: 'Static',
    EntityType: 'Column',
    ValidationCriteria: { Keyword: level, Requirement: requirement, Condition: condition },
  });
  const isNotNull = (name: string) => ({ CheckFunction: 'CheckNotValue', ColumnName: name, Value: null });
  const isValue = (name: string, value: string) => ({
    CheckFunction: 'CheckValue',
    ColumnName: name,
    Value: value,
  });
  const model = JSON.stringify({
    Details: { ModelVersion: '9', FOCUSVersion: '9.1' },
    ModelRules: {
      whole: {
        ...criteria(
          'MUST',
          { CheckFunction: 'AND', Items: [{ CheckFunction: 'CheckModelRule', ModelRuleId: 'part' }] },
          isNotNull('Part'),
        ),
        Function: 'Composite',
      },
      part: { ...criteria('MUST', isValue('Part', 'a')), Function: 'Validation' },
      'ConsumedQuantity-C-006-C': {
        ...criteria('MUST NOT', isNotNull('ConsumedQuantity'), isValue('ChargeClass', 'Correction')),
        Function: 'Nullability',
      },
      optional: { ...criteria('MAY', isValue('Part', 'b')), Function: 'Validation' },
      strange: {
        ...criteria('MUST', { CheckFunction: 'CheckColour', ColumnName: 'Part' }),
        Function: 'Validation',
      },
      elsewhere: {
        ...criteria('MUST', isNotNull('Part')),
        Function: 'Validation',
        DatasetId: 'InvoiceDetail',
      },
      past: { ...criteria('MUST', isNotNull('Part')), Function: 'Validation', Status: 'Removed' },
      later: { ...criteria('MUST', {}), Function: 'Validation', Type: 'Dynamic' },
      feature: {
        ...criteria('MUST', { CheckFunction: 'ColumnPresent', ColumnName: 'RegionId' }),
        Function: 'Presence',
        ApplicabilityCriteria: ['REGION_SUPPORTED'],
      },
    },
  });

  it('gives a part the condition of the whole, keeps the text where a condition contradicts it, and counts what it leaves out', () => {
    const { version, rules, leftOut } = readOfficialModel(model);
    expect(version).toBe('9.1');
    expect(rules.map(({ id, level, where }) => [id, level, where])).toEqual([
      ['part', 'must', { check: 'all', of: [{ check: 'differs', column: 'Part', value: null }] }],
      [
        'ConsumedQuantity-C-006-C',
        'must',
        { check: 'all', of: [{ check: 'differs', column: 'ChargeClass', value: 'Correction' }] },
      ],
      ['optional', 'may', undefined],
      ['strange', 'must', undefined],
    ]);
    expect(leftOut).toEqual({ withdrawn: 1, composite: 1, dynamic: 1, unsupported: 1, 'other-data-set': 1 });
  });

  it('fails by what must hold alone, and says of which rules it cannot tell', async () => {
    await using folder = await openFolder();
    const path = await folder.write('part.csv', 'Part,ChargeClass\nc,\n');
    const findings = await checkRules([{ dataSet: 'CostAndUsage', path }], readOfficialModel(model).rules);
    expect(findings.map(({ rule, outcome }) => [rule.id, outcome])).toEqual([
      ['part', 'broken'],
      ['ConsumedQuantity-C-006-C', 'no-column'],
      ['optional', 'broken'],
      ['strange', 'not-interpreted'],
    ]);
    expect(failedIds(findings)).toEqual(['part']);
  });
});
