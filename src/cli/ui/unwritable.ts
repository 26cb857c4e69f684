import { fault, systemCode } from '../../core/index.ts';

/** Why the place that `--out` names cannot be written, with the next step. */
export const unwritable = (out: string, error: unknown) => {
  const code = systemCode(error) ?? 'unknown';
  return fault(code === 'ENOSPC' ? 'disk-full' : 'path-unwritable', `${out} cannot be written (${code})`, {
    cause: error,
    advice: 'choose another place with --out, or make this one writable',
  });
};
