import { fault, isFault, messageOf, systemCode } from '../core/index.ts';

/** Carries out writes at a place; a system error becomes a fault that names it. @throws faults disk-full, path-unwritable */
export const writable = async <T>(place: string, work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    const code = systemCode(error);
    if (isFault(error) || code === undefined) throw error;
    const full = code === 'ENOSPC' || code === 'EDQUOT';
    throw fault(full ? 'disk-full' : 'path-unwritable', `${place}: ${messageOf(error)}`, { cause: error });
  }
};
