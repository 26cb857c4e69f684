import type { z } from 'zod';
import { didYouMean, isFault } from '../../../core/index.ts';
import type { Config, ConfigFault } from '../../../config/index.ts';
import { nameOfFigure, nameOfHeadline } from '../../../reports/index.ts';
import type { BindQueries } from '../../../warehouse/index.ts';
import { openReport } from '../compose-report.ts';
import { reportKind } from '../report.ts';
import { unknownFigureText } from './sending-text.ts';
import { conditionsOf, type sendWhen } from './send-when.ts';

const faultIn = (job: string, text: string): string => `jobs.${job}.send_when: ${text}`;

/** Figures that `send_when` of a job names and its report does not have. */
export const figureFaults = async (
  config: Config,
  directories: readonly string[],
  bind: BindQueries,
): Promise<readonly ConfigFault[]> => {
  const faults: ConfigFault[] = [];
  for (const job of Object.values(config.jobs)) {
    if (job.kind !== reportKind.kind) continue;
    // The config has parsed the fields with the shape of this kind.
    const settings = job.fields as {
      readonly report: string;
      readonly send_when?: z.output<typeof sendWhen>;
    };
    const asked = conditionsOf(settings.send_when).flatMap((one) =>
      typeof one === 'object' && 'changed' in one ? one.changed.figure : [],
    );
    if (!asked.some((figure) => figure !== nameOfHeadline)) continue;
    try {
      const { sections } = await openReport(settings.report, directories, bind);
      const known = [
        nameOfHeadline,
        ...new Set(sections.flatMap((one) => (one.kind === 'figures' ? one.figures.map(nameOfFigure) : []))),
      ];
      for (const figure of asked.filter((one) => !known.includes(one)))
        faults.push({
          ...job.place,
          message: faultIn(job.name, unknownFigureText(settings.report, figure, known)),
          advice: didYouMean(figure, known) ?? 'use one of its figures',
        });
    } catch (error) {
      // Faults of the report itself are reported for its folder.
      if (!isFault(error)) throw error;
    }
  }
  return faults;
};
