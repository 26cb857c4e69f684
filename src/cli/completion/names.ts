import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { parseYaml, readText } from '../../core/index.ts';
import { reportDirectories } from '../../settings.ts';

/** Names that the configuration declares, by what an argument or option calls them. */
export type Names = Readonly<Record<NameKind, readonly string[]>>;

export const nameKinds = ['job', 'report', 'service', 'alert', 'account', 'team'] as const;
export type NameKind = (typeof nameKinds)[number];

type Fields = Readonly<Record<string, unknown>>;

const mapOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};

/** Without its references resolved, and also where it has faults: a shell rarely has the secrets. */
const readYaml = async (path: string): Promise<Fields> =>
  readText(path).then(
    async (text) => mapOf((await parseYaml(text)).value),
    () => ({}),
  );

const entriesIn = async (folder: string): Promise<readonly string[]> => readdir(folder).catch(() => []);

/** The services that scopes and key patterns name without `*`. */
const servicesIn = (budgets: Fields, jobs: Fields): readonly string[] =>
  [
    ...Object.values(budgets).map((budget) => mapOf(budget)['service']),
    ...Object.values(jobs).map((job) => mapOf(mapOf(job)['keys'])['name']),
  ].flatMap((name) => (typeof name === 'string' && !name.includes('*') ? [name] : []));

/** Budgets have their own names; the short form of an account or a team has one that is derived. */
const alertsIn = (budgets: Fields, owners: readonly (readonly [string, Fields])[]): readonly string[] => [
  ...Object.keys(budgets),
  ...owners.flatMap(([kind, named]) =>
    Object.entries(named).flatMap(([name, one]) =>
      mapOf(one)['budget'] === undefined ? [] : [`${kind}-${name}`],
    ),
  ),
];

/** Reads what the folder declares. Never throws: what cannot be read has no names. */
export const readNames = async (folder: string): Promise<Names> => {
  const settings = await readYaml(join(folder, 'tollkeeper.yaml'));
  const files = (await entriesIn(join(folder, 'jobs'))).filter((name) => /\.ya?ml$/.test(name));
  const declared = await Promise.all(files.map((name) => readYaml(join(folder, 'jobs', name))));
  const jobs: Fields = Object.assign({}, ...declared.map((file) => mapOf(file['jobs']))) as Fields;
  const [accounts, teams, budgets] = [
    mapOf(settings['accounts']),
    mapOf(settings['teams']),
    mapOf(settings['budgets']),
  ];
  const reports = await Promise.all(reportDirectories(folder).map(entriesIn));
  return {
    job: Object.keys(jobs),
    report: [...new Set(reports.flat())],
    service: servicesIn(budgets, jobs),
    alert: alertsIn(budgets, [
      ['account', accounts],
      ['team', teams],
    ]),
    account: Object.keys(accounts),
    team: Object.keys(teams),
  };
};
