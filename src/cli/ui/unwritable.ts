import { fault, systemCode } from '../../core/index.ts';

/** Why the path cannot be written, with the next step. */
export const unwritable = (
  path: string,
  error: unknown,
  advice = 'choose another place with --out, or make this one writable',
) => {
  const code = systemCode(error) ?? 'unknown';
  return fault(code === 'ENOSPC' ? 'disk-full' : 'path-unwritable', `${path} cannot be written (${code})`, {
    cause: error,
    advice,
  });
};
