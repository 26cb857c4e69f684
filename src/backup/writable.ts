import { fault, isDiskFull, isFault, messageOf, systemCode } from '../core/index.ts';

/** Carries out writes at a place; a system error becomes a fault that names it. @throws faults disk-full, path-unwritable */
export const writable = async <T>(place: string, work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    if (isFault(error) || systemCode(error) === undefined) throw error;
    throw fault(isDiskFull(error) ? 'disk-full' : 'path-unwritable', `${place}: ${messageOf(error)}`, {
      cause: error,
    });
  }
};
