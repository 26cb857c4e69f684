import { mailFolder } from '../../../src/notify/index.ts';
import { createHash } from 'node:crypto';
import { mkdir, readFile, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { simpleParser } from 'mailparser';
import readXlsxFile from 'read-excel-file/node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { unixMillis } from '../../../src/core/index.ts';
import { jobKinds, listReports, trimReports } from '../../../src/jobs/index.ts';
import { writeReport } from '../../../src/jobs/report/archive/write-report.ts';
import { openJobFixture, type JobFixture } from '../../support/job-fixture.ts';
import { lateData } from '../../support/late-data.ts';
import { mailsIn, reportPlaces, type ReportFixture } from './report-fixture.ts';

const slot = unixMillis(Date.parse('2026-11-12T08:00:00Z'));
const slotFolder = '20261112T080000.000Z';
const settings = {
  report: 'spend-summary',
  period: { from: '2026-11-01', to: '2026-11-12' },
  mail: { to: ['finance@example.com'], attach: ['xlsx', 'csv'] },
};

type ArchiveFixture = ReportFixture & { readonly job: string; readonly reports: string };

let shared: JobFixture;
beforeAll(async () => {
  shared = await openJobFixture();
  await shared.run('pull-logs', { since: '2026-10-25' });
});
afterAll(() => shared[Symbol.asyncDispose]());

let jobs = 0;

/** A place of its own for mails and reports, and a job of its own, in a fixture that all share. */
const openReportFixture = async (): Promise<ArchiveFixture> => {
  const { folder, change } = await reportPlaces();
  jobs += 1;
  const job = `daily-spend-${jobs}`;
  return {
    ...shared,
    folder,
    job,
    reports: change.reports.folder,
    change: { ...change, name: job, runId: 'daily-spend-1', slot },
  };
};

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

const mailsOf = async (fixture: ArchiveFixture, job = fixture.job) => mailsIn(fixture, `report:${job}`);

/** Every file below a folder with its bytes. */
const contentsOf = async (folder: string): Promise<ReadonlyMap<string, string>> => {
  const names = (await readdir(folder, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  return new Map(await Promise.all(names.map(async (name) => [name, sha256(await readFile(name))] as const)));
};

describe('a mailed report', () => {
  it('is archived with its data, its figures and the hashes of its mails, and mailed with the chosen attachments', async () => {
    const fixture = await openReportFixture();
    await fixture.run('report', settings, fixture.change);
    const { reports, damaged } = await listReports(fixture.reports, { limit: 10 });
    expect(damaged).toEqual([]);
    const [kept] = reports;
    expect(kept).toMatchObject({
      job: fixture.job,
      slot: '2026-11-12T08:00:00.000Z',
      runId: 'daily-spend-1',
      account: 'main',
      report: 'spend-summary',
      zone: 'UTC',
      currency: 'USD',
      period: { from: '2026-11-01T00:00:00.000Z', to: '2026-11-12T00:00:00.000Z' },
      verdict: { good: true },
      folder: join(fixture.reports, fixture.job, slotFolder),
    });
    if (kept === undefined) throw new Error('nothing is kept');
    const spend = await fixture.context.warehouse.spend('main', {
      start: (Date.parse(kept.period.from) / 1000) as never,
      end: (Date.parse(kept.period.to) / 1000) as never,
    });
    expect(kept.totals[0]).toEqual({ label: 'Spend', name: 'total', exact: spend.net, unit: 'USD' });

    const names = kept.files.map(({ name }) => name);
    for (const name of ['report.html', 'report.txt', 'spend-summary.xlsx', 'spend-summary-days.parquet'])
      expect(names).toContain(name);
    const found = await contentsOf(kept.folder);
    expect(new Set(found.keys())).toEqual(
      new Set(
        [...names, 'manifest.json', 'mails.json', ...kept.mails.map((each) => `${each.sha256}.eml`)].map(
          (name) => join(kept.folder, name),
        ),
      ),
    );
    for (const { name, sha256: hash, bytes } of kept.files) {
      expect(found.get(join(kept.folder, name))).toBe(hash);
      const { size, mode } = await stat(join(kept.folder, name));
      expect([size, mode & 0o777]).toEqual([bytes, 0o600]);
    }
    expect((await stat(kept.folder)).mode & 0o777).toBe(0o700);
    const html = await readFile(join(kept.folder, 'report.html'), 'utf8');
    expect(html.includes('cid:')).toBe(false);

    const [mail] = await mailsOf(fixture);
    expect(kept.mails).toEqual([
      {
        recipient: 'finance@example.com',
        messageId: mail?.row.messageId,
        sha256: sha256(mail?.bytes ?? Buffer.alloc(0)),
        queuedAt: new Date(fixture.clock.now()).toISOString(),
      },
    ]);
    expect(found.get(join(kept.folder, `${kept.mails[0]?.sha256}.eml`))).toBe(kept.mails[0]?.sha256);
    const attached = (mail?.parsed.attachments ?? []).filter(({ related }) => !related);
    expect(attached.map(({ filename }) => filename)).toEqual(kept.attached);
    expect(kept.attached).toEqual(names.filter((name) => /^spend-summary.*\.(html|csv|xlsx)$/.test(name)));
    for (const { filename, content } of attached)
      expect(sha256(content)).toBe(kept.files.find(({ name }) => name === filename)?.sha256);
    const book = attached.find(({ filename }) => filename === 'spend-summary.xlsx');
    const sheets = await readXlsxFile(book?.content ?? Buffer.alloc(0));
    expect(sheets.map(({ sheet }) => sheet)).toContain('Days');
  });

  it('does not change when its slot runs again, and is what a later recipient gets', async () => {
    const fixture = await openReportFixture();
    await fixture.run('report', settings, fixture.change);
    const before = await contentsOf(join(fixture.reports, fixture.job, slotFolder));
    fixture.clock.advance(60_000);
    const joined = { ...settings, mail: { to: ['finance@example.com', 'new@example.com'] } };
    const late = { ...fixture.change, runId: 'again', dataLate: lateData() };
    const outcome = await fixture.run('report', joined, late);
    expect(outcome.figures['mails']).toBe(1);
    const after = await contentsOf(join(fixture.reports, fixture.job, slotFolder));
    const changed = [...after].filter(([name, hash]) => before.get(name) !== hash).map(([name]) => name);
    const own = (await mailsOf(fixture)).at(-1)?.bytes ?? Buffer.alloc(0);
    expect(changed.toSorted()).toEqual(
      [`${sha256(own)}.eml`, 'mails.json']
        .map((name) => join(fixture.reports, fixture.job, slotFolder, name))
        .toSorted(),
    );
    const [first, second] = (await mailsOf(fixture)).map(({ parsed }) => parsed);
    expect(second?.html === first?.html).toBe(true);
    expect(second?.subject).toBe(first?.subject);
    expect(second?.attachments.map(({ checksum }) => checksum)).toEqual(
      first?.attachments.map(({ checksum }) => checksum),
    );
    expect((await listReports(fixture.reports, { limit: 10 })).reports[0]?.mails).toHaveLength(2);
  });

  it('names where the whole report is: attached, or on the page at its public URL, which holds no secret', async () => {
    const fixture = await openReportFixture();
    const { reports: folder } = fixture;
    const one = { ...settings, period: 'yesterday', mail: { to: ['finance@example.com'] } };
    await fixture.run('report', one, fixture.change);
    await fixture.run('report', one, {
      ...fixture.change,
      name: 'paged',
      reports: { folder, attachLimit: 1e7, pageUrl: 'https://tollkeeper.example.com/' },
    });
    const [[attached], [paged]] = [await mailsOf(fixture), await mailsOf(fixture, 'paged')];
    const filesOf = (mail: typeof attached) =>
      (mail?.parsed.attachments ?? []).filter(({ related }) => !related).map(({ filename }) => filename);
    expect(filesOf(attached)).toEqual(['spend-summary.html']);
    expect(attached?.parsed.text).toContain('in the attached report');
    expect(filesOf(paged)).toEqual([]);
    expect(paged?.parsed.text?.replaceAll(/\s+/g, '')).toContain(
      `method:https://tollkeeper.example.com/reports/paged/${slotFolder}`,
    );
    const { reports } = await listReports(folder, { limit: 10 });
    for (const { folder: kept } of reports) {
      const [whole, mail] = [
        await readFile(join(kept, 'report.html'), 'utf8'),
        await readFile(join(kept, 'mail.html'), 'utf8'),
      ];
      expect(whole).toContain('Tokens by key');
      expect(mail).not.toContain('Tokens by key');
      expect(whole).toContain('Biggest changes by model');
      expect(mail).not.toContain('Biggest changes by model');
      expect(mail).toContain('Top models by spend');
    }
  });

  it('links to its files when they are too large for a mail', async () => {
    const fixture = await openReportFixture();
    const small = { folder: fixture.reports, attachLimit: 5000 };
    await fixture.run('report', settings, { ...fixture.change, reports: small });
    await fixture.run('report', settings, {
      ...fixture.change,
      name: 'linked',
      reports: { ...small, filesUrl: 'https://files.example.com/reports/' },
    });
    const places = [
      `reports/${fixture.job}/${slotFolder}`,
      `https://files.example.com/reports/linked/${slotFolder}/`,
    ];
    for (const [at, { parsed }] of [
      ...(await mailsOf(fixture)),
      ...(await mailsOf(fixture, 'linked')),
    ].entries()) {
      const place = places[at] ?? 'nowhere';
      expect(parsed.attachments.filter(({ related }) => !related)).toEqual([]);
      expect(parsed.text?.replaceAll(/\s+/g, '').includes(place)).toBe(true);
      // A failure would print all of it.
      expect(
        /\(HTML, CSV, XLSX; \d+ kB\) are too large to be attached\. They are kept in ([^<]*)</
          .exec(String(parsed.html))
          ?.slice(1),
      ).toEqual([place]);
    }
    const { reports } = await listReports(fixture.reports, { limit: 10 });
    expect(new Set(reports.map(({ linked }) => linked))).toEqual(new Set(places));
    for (const { attached, files } of reports) {
      expect(attached).toEqual([]);
      expect(files.map(({ name }) => name)).toContain('spend-summary.xlsx');
    }
  });

  it('is archived completely or not at all, and is not mailed after tampering', async () => {
    const fixture = await openReportFixture();
    const blocked = join(fixture.folder, 'blocked');
    await writeFile(blocked, 'a file where a folder is to be');
    const nowhere = { ...fixture.change, reports: { folder: blocked, attachLimit: 1 } };
    await expect(fixture.run('report', settings, nowhere)).rejects.toMatchObject({
      code: 'path-unwritable',
    });
    expect(await mailsOf(fixture)).toEqual([]);

    await fixture.run('report', settings, fixture.change);
    expect(await readdir(join(fixture.reports, fixture.job))).toEqual([slotFolder]);
    await writeFile(join(fixture.reports, fixture.job, slotFolder, 'mail.html'), 'changed');
    const joined = { ...settings, mail: { to: ['new@example.com'] } };
    await expect(fixture.run('report', joined, fixture.change)).rejects.toMatchObject({
      code: 'report-damaged',
    });
    expect(await mailsOf(fixture)).toHaveLength(1);
  });
});

describe('an interrupted report run', () => {
  it('mails the archived report when it stopped between archiving and enqueueing', async () => {
    const fixture = await openReportFixture();
    const blocked = join(fixture.folder, 'blocked');
    await writeFile(blocked, 'a file where a folder is to be');
    const nowhere = {
      ...fixture.change,
      mail: { from: 'reports@example.com', mails: mailFolder(blocked) },
    };
    await expect(fixture.run('report', settings, nowhere)).rejects.toMatchObject({
      code: 'path-unwritable',
    });
    await fixture.run('report', settings, {
      ...fixture.change,
      runId: 'again',
      dataLate: lateData(),
    });
    const [mail] = await mailsOf(fixture);
    const html = await readFile(join(fixture.reports, fixture.job, slotFolder, 'mail.html'), 'utf8');
    expect(html.includes('Run daily-spend-1')).toBe(true);
    expect(html.includes('nothing came')).toBe(false);
    const parsed = await simpleParser(mail?.bytes ?? '', { skipImageLinks: true });
    expect(parsed.html === html).toBe(true);
  });

  it('leaves one complete report when another run archives the same report', async () => {
    const fixture = await openReportFixture();
    await fixture.run('report', settings, fixture.change);
    const { reports } = await listReports(fixture.reports, { limit: 1 });
    const [{ files: _files, folder: _folder, mails: _mails, ...manifest } = {}] = reports;
    const key = { job: 'raced', slot };
    const states = await Promise.all(
      ['one', 'two', 'three'].map((runId) =>
        writeReport(fixture.reports, key, { ...(manifest as Parameters<typeof writeReport>[2]), runId }, [
          { name: 'report.txt', contentType: 'text/plain', content: runId },
        ]),
      ),
    );
    expect(states.toSorted()).toEqual(['kept', 'known', 'known']);
    expect(await readdir(join(fixture.reports, 'raced'))).toEqual([slotFolder]);
    const [raced] = (await listReports(fixture.reports, { job: 'raced', limit: 1 })).reports;
    expect(await readFile(join(raced?.folder ?? '', 'report.txt'), 'utf8')).toBe(raced?.runId);
  });
});

describe('the report archive', () => {
  it('lists the newest slot first, of all jobs or one, and names what cannot be read', async () => {
    const fixture = await openReportFixture();
    for (const [name, days] of [
      ['a', 0],
      ['b', 1],
      ['a', 2],
    ] as const)
      await fixture.run(
        'report',
        { ...settings, mail: { to: ['x@example.com'] } },
        {
          ...fixture.change,
          name,
          slot: unixMillis(slot + days * 86_400_000),
        },
      );
    const slots = async (query: Parameters<typeof listReports>[1]) =>
      (await listReports(fixture.reports, query)).reports.map((report) => [
        report.job,
        report.slot.slice(0, 10),
      ]);
    expect(await slots({ limit: 10 })).toEqual([
      ['a', '2026-11-14'],
      ['b', '2026-11-13'],
      ['a', '2026-11-12'],
    ]);
    expect(await slots({ limit: 10, job: 'a' })).toHaveLength(2);
    expect(await slots({ limit: 1 })).toEqual([['a', '2026-11-14']]);
    expect(await slots({ limit: 10, job: 'none' })).toEqual([]);
    await writeFile(join(fixture.reports, 'a', '20261114T080000.000Z', 'manifest.json'), '{');
    expect((await listReports(fixture.reports, { limit: 10 })).damaged).toEqual([
      join(fixture.reports, 'a', '20261114T080000.000Z'),
    ]);
    expect(await listReports(join(fixture.folder, 'none'), { limit: 1 })).toEqual({
      reports: [],
      damaged: [],
    });
  });

  it('deletes expired reports and remains of a crash, and nothing else', async () => {
    const fixture = await openReportFixture();
    // Built now for a slot long ago: it is as old as its building.
    await fixture.run('report', settings, fixture.change);
    const job = join(fixture.reports, fixture.job);
    const [left, written, strange] = ['.draft-left', '.draft-now', 'strange'].map((name) => join(job, name));
    for (const folder of [left, written, strange]) await mkdir(folder ?? '');
    const now = fixture.clock.now();
    await utimes(left ?? '', now / 1000 - 90_000, now / 1000 - 90_000);
    await utimes(written ?? '', now / 1000, now / 1000);
    expect(await trimReports(fixture.reports, unixMillis(now - 1), now)).toBe(0);
    expect(await readdir(job)).toEqual(['.draft-now', slotFolder, 'strange']);
    expect(await trimReports(fixture.reports, unixMillis(now + 1), now)).toBe(1);
    expect(await readdir(job)).toEqual(['.draft-now', 'strange']);
    await rm(written ?? '', { recursive: true });
    await rm(strange ?? '', { recursive: true });
    await trimReports(fixture.reports, now, now);
    expect(await readdir(fixture.reports)).toEqual([]);
    expect(await trimReports(join(fixture.folder, 'none'), now, now)).toBe(0);
  });
});

describe('an attachment of a job', () => {
  it('has one of the supported formats', async () => {
    const kind = jobKinds.find((candidate) => candidate.kind === 'report');
    const read = (attach: unknown) =>
      kind?.shape.safeParse({ ...settings, mail: { to: ['x@example.com'], attach } }).success;
    expect([read(['csv', 'xlsx', 'parquet', 'pdf']), read([]), read(['docx']), read('csv')]).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });
});
