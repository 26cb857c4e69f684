import type { AttachFormat } from '../../core/index.ts';
import { dataFiles } from '../../reports/index.ts';
import type { ComposedReport } from './composed.ts';
import type { JobContext } from '../job-kind.ts';

/** The JSON form that the control socket carries. */
export type BuiltFile = { readonly name: string } & ({ readonly text: string } | { readonly base64: string });

/** The HTML with embedded images, the text, and the data in the requested formats. */
export const builtFiles = async (
  { model, files, csv }: ComposedReport,
  report: string,
  attach: readonly AttachFormat[],
  { warehouse, signal }: Pick<JobContext, 'warehouse' | 'signal'>,
): Promise<readonly BuiltFile[]> => {
  const data = await dataFiles(
    model,
    report,
    attach,
    async (table) => warehouse.writeParquet(table, signal),
    csv,
  );
  return [...files, ...data.map(({ name, content }) => ({ name, base64: content.toString('base64') }))];
};
