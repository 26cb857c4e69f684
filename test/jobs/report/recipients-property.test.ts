import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { simpleParser } from 'mailparser';
import { expect, it } from 'vitest';
import { money, subtractMoney, sumMoney } from '../../../src/core/index.ts';
import { jobKinds, listReports, type CostOwners } from '../../../src/jobs/index.ts';
import { formatMoney, localeOf } from '../../../src/messages/index.ts';
import { hostileNames } from '../../reports/hostile.ts';
import { runs } from '../../support/storm.ts';
import { openAlertFixture, type Call } from '../alert/alert-fixture.ts';

const tags = ['owner', 'cost_center'] as const;

/** An account whose keys have owners with and without an address, or none. Each name has a token that nothing else contains. */
const anyAccount = fc.record({
  tag: fc.constantFrom(...tags),
  report: fc.constantFrom('spend-summary', 'showback', 'digest', 'token-economics'),
  owners: fc.array(
    fc.record({
      hostile: fc.constantFrom(...hostileNames, 'plain', '*', 'a*b', '../../x', '研发部', 'قسم'),
      isAddressed: fc.boolean(),
      keys: fc.integer({ min: 0, max: 3 }),
    }),
    { minLength: 1, maxLength: 5 },
  ),
  untagged: fc.integer({ min: 0, max: 2 }),
  seed: fc.integer({ min: 1, max: 900 }),
});

type Owned = {
  readonly name: string;
  readonly token: string;
  readonly keys: readonly string[];
  readonly isAddressed: boolean;
};

const at = (day: number, hour: number): string =>
  `2026-11-${String(day).padStart(2, '0')}T${String(hour).padStart(2, '0')}:30:00Z`;

it('the report of an owner has no name, figure or attachment of another, and all parts sum to the account', async () => {
  await fc.assert(
    fc.asyncProperty(anyAccount, async ({ tag, report, owners, untagged, seed }) => {
      await using fixture = await openAlertFixture();
      const owned = owners.map(({ hostile, isAddressed, keys }, index): Owned => {
        const token = `qx${index}zw`;
        const name = `${hostile.slice(0, 100)}${token}`.normalize('NFC');
        return {
          name,
          token,
          isAddressed,
          keys: Array.from({ length: keys }, (_, key) => `key-${token}-${key}`),
        };
      });
      const rest = Array.from({ length: untagged }, (_, key) => `key-qxnonezw-${key}`);
      const all = [...owned.flatMap(({ keys }) => keys), ...rest];
      // Each charge is a figure of its own, to the last digit.
      const chargeOf = (key: string): string =>
        `0.${String(100_000_007 + (all.indexOf(key) + 1) * 7_654_321 * seed).slice(-9)}`;
      const calls: readonly Call[] = all.flatMap((key) =>
        [10, 11].map((day) => ({ at: at(day, 9), key, model: 'gpt-5', charge: chargeOf(key) })),
      );
      await fixture.land('2026-11-01T00:00:00Z', '2026-11-12T00:00:00Z', calls);
      const addressed = owned.filter(({ isAddressed }) => isAddressed);
      const costOwners: CostOwners = {
        teams: [
          { name: 'team-qxteamzw', keys: ['key-*'], mail: ['team@example.com'], budget: money('987.654') },
        ],
        prices: [],
        operators: ['ops@example.com'],
        tags: owned.map(({ name, token }) => ({ pattern: `key-${token}-*`, tags: { [tag]: name } })),
        mailOf: {
          owner: {},
          cost_center: {},
          [tag]: Object.fromEntries(addressed.map(({ name, token }) => [name, [`${token}@example.com`]])),
        },
      };
      const kind = jobKinds.find((one) => one.kind === 'report');
      if (kind === undefined) throw new RangeError('no kind report');
      const { context, warehouse } = fixture;
      const change = {
        ...context,
        name: 'parts',
        costOwners,
        reportDirectories: [new URL('../../../reports', import.meta.url).pathname],
      };
      const settings = {
        report,
        period: { from: '2026-11-10', to: '2026-11-12' },
        mail: { to: [`each_${tag}`], remainder: ['rest@example.com'], attach: ['csv', 'xlsx'] },
      };
      await kind.run(await kind.shape.parseAsync(settings), change);

      const rows = await warehouse.outbox.list({ kind: 'report:parts' });
      expect(rows.map(({ recipient }) => recipient).toSorted()).toEqual(
        [...new Set(addressed.map(({ token }) => `${token}@example.com`)), 'rest@example.com'].toSorted(),
      );
      for (const { recipient, file } of rows) {
        const bytes = await readFile(join(context.reports.folder, '..', 'outbox', file));
        const { subject = '', text = '', html, attachments } = await simpleParser(bytes);
        const whole = [
          subject,
          text,
          String(html),
          ...attachments.map(({ content }) => content.toString('utf8')),
        ].join('\n');
        const isOwn = ({ token, isAddressed }: Owned): boolean =>
          isAddressed ? recipient === `${token}@example.com` : recipient === 'rest@example.com';
        for (const one of owned) {
          if (isOwn(one)) continue;
          expect(whole).not.toContain(one.token);
          for (const key of one.keys) expect(whole).not.toContain(chargeOf(key));
        }
        expect(whole).not.toContain('qxteamzw');
        expect(whole).not.toContain('987.65');
        if (recipient !== 'rest@example.com') expect(whole).not.toContain('qxnonezw');
      }

      const { reports } = await listReports(context.reports.folder, { limit: 99 });
      const sums = reports.map(({ totals }) => money(totals[0]?.exact ?? '0'));
      const spent = sumMoney(calls.map(({ charge }) => money(charge)));
      if (report !== 'token-economics') expect(subtractMoney(sumMoney(sums), spent)).toBe('0');

      const plan = await kind.plan(await kind.shape.parseAsync(settings), change);
      const planned = plan.filter((line) => line.startsWith('mail that of'));
      expect(planned).toHaveLength(rows.length);
      for (const { totals } of report === 'token-economics' ? [] : reports) {
        const shown = formatMoney(money(totals[0]?.exact ?? '0'), 'USD', localeOf('en'));
        expect(planned.some((line) => line.includes(`with a spend of ${shown},`))).toBe(true);
      }
    }),
    { numRuns: runs(8) },
  );
}, 600_000);
