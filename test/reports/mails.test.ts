import { expect, it } from 'vitest';
import { localeTags } from '../../src/core/index.ts';
import { renderReport } from '../../src/reports/index.ts';
import { approved, mailText, titled } from '../support/approved.ts';
import { build, ordinaryRows, shipped } from './sample.ts';

const rows = ordinaryRows().map((row) =>
  row.key?.startsWith('prod-') === true ? { ...row, team: 'Prod' } : row,
);
const others = {
  budgets: [{ scope: 'account', month: '15000', currency: 'USD' }],
  teams: [{ team: 'Prod', position: 0 }],
};

const examples = [
  ['spend-summary', 'yesterday'],
  ['spend-summary', 'last-week'],
  ['digest', 'last-week'],
  ['statement', '2026-10-01..2026-11-01'],
  ['showback', 'last-week'],
] as const;

it.each(localeTags)('mails of reports have their approved text in %s', async (locale) => {
  const mails: [title: string, text: string][] = [];
  for (const [name, period] of examples) {
    const definition = await shipped(name);
    const { mail, subject, preheader } = await renderReport(
      await build({ rows, period, others, definition, locale }),
    );
    mails.push([
      `${name}, ${period}`,
      `${mailText({ subject, text: mail.text })}\n\nPreheader: ${preheader}`,
    ]);
  }
  await expect(titled(mails)).toMatchFileSnapshot(approved('reports/mails', locale));
});
