import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { enableMetrics, scrape, valueOf } from '../metrics/support/daemon-metrics.ts';
import { openTown } from './support/daemon.ts';

const textOf = (page: string): string => page.replaceAll(/<[^>]+>/g, ' ').replaceAll(/\s+/g, ' ');

const french = 'Équipe données';
const names = ['研发部', french, 'قسم'];
const job = '日报-Übersicht';

const second = (text: string): number => Date.parse(text) / 1000;

const foldersBelow = async (folder: string): Promise<readonly string[]> =>
  (await readdir(folder, { recursive: true })).filter((path) => !path.includes('.duckdb'));

it('teams, budgets, tags and jobs have names of any script, in configuration, mail, archive, page and metrics', async () => {
  await using town = await openTown('2026-11-20T12:00:00Z');
  const truth = town.sandbox.truth.sums(second('2026-11-01'), second('2026-11-20T11:50:00Z'));
  const keys = Object.keys(truth.byKey).filter((key) => key !== '');
  await enableMetrics(town);
  // An editor may write an accent as a character of its own.
  await town.configure(
    (settings) => `${settings}teams:
${names.map((name, at) => `  "${name.normalize(at === 1 ? 'NFD' : 'NFC')}": { keys: ["${keys[at]}"], mail: [team-${at}@example.com], budget: { month: 0.01 } }`).join('\n')}
budgets:
  "مشروع ٢": { team: "${french}", amount: 1 }
tags:
  "*": { owner: "Ärztin 王", cost_center: "${french.normalize('NFD')}" }
`,
  );
  await town.jobs(
    'pull-logs: { kind: pull-logs, since: 2026-11-01, schedule: "7 * * * *" }',
    'alerts: { kind: alert, needs: [pull-logs] }',
    `"${job.normalize('NFD')}": { kind: report, report: showback, period: yesterday, needs: [pull-logs], each_team: true }`,
    `one: { kind: report, report: spend-summary, period: yesterday, team: "${french.normalize('NFD')}", mail: { to: [a@example.com] } }`,
  );
  expect((await town.run('check')).code).toBe(0);
  const daemon = await town.serve();
  for (const one of ['pull-logs', 'alerts', job.normalize('NFD'), 'one'])
    expect((await town.run('run', one)).code).toBe(0);

  const taken = await town.mails(daemon, 5 + names.length);
  const mails = taken.map(({ parsed }) => parsed);
  for (const [at, name] of names.entries()) {
    const own = mails.filter(({ to }) => [to].flat().some((one) => one?.text === `team-${at}@example.com`));
    expect(own.map(({ subject }) => subject).join()).toContain(name);
    expect(own.map(({ text }) => text).join()).toContain(name);
  }
  for (const { messageId } of mails) expect(messageId).toMatch(/^<[ -~]+>$/);

  const data = join(town.folder.path, 'data');
  expect((await foldersBelow(data)).filter((path) => !/^[ -~]+$/.test(path))).toEqual([]);
  const listed = JSON.parse((await town.run('reports', '--job', job, '--json')).stdout) as readonly {
    readonly job: string;
    readonly part: string;
  }[];
  expect(listed.map((one) => `${one.job} ${one.part}`).toSorted()).toEqual(
    [...names.map((name) => `${job} team-${name}`), `${job} unassigned`].toSorted(),
  );

  const address = String((await daemon.line({ message: 'serving' }))['page']);
  const get = async (path: string): Promise<string> => (await fetch(`http://${address}${path}`)).text();
  const page = textOf(await get('/'));
  for (const name of [...names, job, 'مشروع ٢']) expect(page).toContain(name);
  const ofTeam = textOf(await get(`/?team=${encodeURIComponent(french.normalize('NFD'))}`));
  expect(ofTeam).toContain(french);
  expect(ofTeam).not.toContain('team-研发部');
  const [link = ''] = /\.\/reports\/job\.[^"]*/.exec(await get('/')) ?? [];
  expect(textOf(await get(link.slice(1)))).toContain('Showback');

  // A command that is copied from a mail, whose words from right to left are isolated.
  const [, command = ''] =
    /`tollkeeper (alerts ack [^`]*قسم[^`]*)`/.exec(mails.map(({ text }) => text).join('\n')) ?? [];
  expect(command).toContain('\u2068قسم\u2069');
  const words = command.replaceAll("'", '').split(/\s+/);
  expect((await town.run(...words)).code).toBe(0);

  const metrics = await scrape(daemon);
  expect(valueOf(metrics, `tollkeeper_job_failed{job_name="${job}",kind="report"}`)).toBe('0');
  expect(valueOf(metrics, `tollkeeper_job_failed{job_name="one",kind="report"}`)).toBe('0');
}, 60_000);

it('a name that is written in two Unicode forms is declared twice', async () => {
  await using town = await openTown('2026-11-20T12:00:00Z');
  await town.configure(
    (settings) => `${settings}teams:
  "${french}": { keys: [a] }
  "${french.normalize('NFD')}": { keys: [b] }
`,
  );
  const { code, stdout } = await town.run('check');
  expect(code).toBe(1);
  expect(stdout).toContain(`:14:3: "${french}" is declared twice`);
});
