import type { Commands } from '../../app/index.ts';
import { didYouMean, fault, listText, type Progress } from '../../core/index.ts';

type InAccount = { readonly account?: string | undefined };

/** Keeps the line readable. */
const most = 20;

/** Services with a key, or with a key in the journal. */
export const servicesOf = async (
  call: Commands,
  account: InAccount,
  progress: Progress,
  signal: AbortSignal,
): Promise<ReadonlySet<string>> => {
  const { steps } = await call('keys/history', account);
  const listed = await call('keys/list', { days: 1, ...account }, { progress, signal });
  return new Set([...steps, ...listed.keys].map(({ service }) => service).filter((name) => name !== ''));
};

/** @throws Fault `wrong-use` for an unknown service */
export const refuseUnknown = (service: string, known: ReadonlySet<string>): void => {
  if (known.has(service)) return;
  const names = [...known].toSorted((one, other) => one.localeCompare(other, 'en'));
  const there = listText(names, most) || 'none';
  throw fault('wrong-use', `unknown service ${service}: no steps and no keys; services: ${there}`, {
    advice: didYouMean(service, names) ?? '`tollkeeper keys list` shows the keys with their services',
  });
};
