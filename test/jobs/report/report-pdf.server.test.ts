import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { unixMillis } from '../../../src/core/index.ts';
import { builtFiles, composeReport } from '../../../src/jobs/index.ts';
import { openJobFixture, type JobFixture } from '../../support/job-fixture.ts';

const run = promisify(execFile);

const slot = unixMillis(Date.parse('2026-11-03T06:00:00Z'));

describe('the PDF of a shipped report', () => {
  let fixture: JobFixture;
  let folder: string;
  beforeAll(async () => {
    fixture = await openJobFixture({ months: 2, callsPerDay: 40 });
    await fixture.run('pull-logs', { since: '2026-09-01' });
    folder = await mkdtemp(join(tmpdir(), 'tollkeeper-pdf-'));
  });
  afterAll(async () => {
    await rm(folder, { recursive: true, force: true });
    await fixture[Symbol.asyncDispose]();
  });

  it.each(
    ['statement', 'showback', 'spend-summary'].flatMap((report) =>
      (['en', 'de', 'zh'] as const).map((locale) => ({ report, locale })),
    ),
  )(
    'is sound, embeds its fonts, and has the total and every model: $report in $locale',
    async ({ report, locale }) => {
      const context = { ...fixture.context, slot };
      const composed = await composeReport({ report, period: '2026-10', locale }, context);
      const files = await builtFiles(composed, report, ['pdf'], context);
      const file = files.find(({ name }) => name === `${report}.pdf`);
      const path = join(folder, `${report}-${locale}.pdf`);
      await writeFile(path, Buffer.from(file !== undefined && 'base64' in file ? file.base64 : '', 'base64'));

      // Ends with another status for a damaged file.
      await run('qpdf', ['--check', path]);
      const [, , ...fonts] = (await run('pdffonts', [path])).stdout.trim().split('\n');
      expect(fonts.length).toBeGreaterThan(1);
      for (const font of fonts) expect(font).toMatch(/ yes +yes +yes +\d+ +\d+$/);
      const info = (await run('pdfinfo', [path])).stdout;
      expect(info).toContain(composed.model.title);
      const text = (await run('pdftotext', [path, '-'])).stdout.replaceAll(/\s+/g, '');
      const { headline, sections } = composed.model;
      expect(text).toContain(headline.value.text.replaceAll(/\s+/g, ''));
      for (const section of sections)
        if (section.kind === 'table')
          for (const { cells } of section.rows) {
            const [name] = cells;
            // Letters from right to left come in the order of the page.
            if (
              name !== undefined &&
              /^[\u0020-\u9FFF]*$/.test(name.text) &&
              !/[\u0590-\u08FF]/.test(name.text)
            )
              expect(text).toContain(name.text.replaceAll(/\s+/g, ''));
          }
    },
  );
});
