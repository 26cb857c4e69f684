import { messageOf } from '../../core/index.ts';
import type { Checked } from './check.ts';
import type { ConfigFault } from '../load/config-fault.ts';
import type { ConfigFiles } from '../load/read-sources.ts';
import { eachText, notesOf, type Schema } from '../schema/schema-walk.ts';
import type { Settings } from '../schema/settings-schema.ts';

/** The text of each PEM file that the settings name, by the path as given. */
export const readCertificates = async (
  part: Checked<Settings>,
  shape: Schema,
  files: ConfigFiles,
): Promise<{ certificates: Map<string, string>; faults: ConfigFault[] }> => {
  const fields: { readonly path: string; readonly place: readonly (string | number)[] }[] = [];
  eachText(part.resolved, shape, (path, place, schema) => {
    if (notesOf(schema).pem === true && !part.isBroken(place)) fields.push({ path, place });
  });
  const certificates = new Map<string, string>();
  const faults: ConfigFault[] = [];
  for (const { path, place } of fields) {
    const text = await files.readFile(path).catch((error: unknown) => ({ problem: messageOf(error) }));
    if (typeof text === 'string' && text.includes('-----BEGIN CERTIFICATE-----'))
      certificates.set(path, text);
    else
      faults.push({
        file: part.source.file,
        ...part.source.at(place),
        message:
          typeof text === 'string'
            ? `${place.join('.')} refers to a file without a certificate`
            : `${place.join('.')} refers to a file that cannot be read`,
        advice: 'use the path of a PEM file that contains "-----BEGIN CERTIFICATE-----"',
      });
  }
  return { certificates, faults };
};
