import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Daemon, Town } from '../../app/support/daemon.ts';
import { askPort } from './metrics-fixture.ts';

/** Adds lines to tollkeeper.yaml, and switches metrics on. */
export const enableMetrics = async ({ folder }: Town, more = ''): Promise<void> => {
  const config = await readFile(join(folder.path, 'config/tollkeeper.yaml'), 'utf8');
  await folder.write('config/tollkeeper.yaml', `${config}metrics: { enabled: true, port: 0 }\n${more}`);
};

export const scrape = async (daemon: Daemon): Promise<string> => {
  const { metrics } = await daemon.line({ message: 'serving' });
  return (await askPort(Number(/:(\d+)$/.exec(String(metrics))?.[1]))).text;
};

/** The value of a series, as text. */
export const valueOf = (text: string, series: string): string | undefined =>
  text
    .split('\n')
    .find((line) => line.startsWith(`${series} `))
    ?.slice(series.length + 1);

/** The lines of a metric, without its value. */
export const seriesOf = (text: string, name: string): readonly string[] =>
  text.split('\n').flatMap((line) => (line.startsWith(`${name}{`) ? [line.replace(/ [^ ]*$/, '')] : []));
