import { isIP } from 'node:net';

/**
 * Whether a Host header names this page: an address, `localhost`, or a name of the settings. A page elsewhere whose name is
 * made to point here (DNS rebinding) sends its own name, and must not read what is shown.
 */
export const isKnownHost = (header: string | undefined, names: readonly string[]): boolean => {
  if (header === undefined || !/^[\w.:[\]-]+$/.test(header) || !URL.canParse(`http://${header}`))
    return false;
  const name = new URL(`http://${header}`).hostname.replace(/\.$/, '');
  if (isIP(name.replaceAll(/[[\]]/g, '')) !== 0) return true;
  return (
    name === 'localhost' || name.endsWith('.localhost') || names.some((own) => own.toLowerCase() === name)
  );
};
