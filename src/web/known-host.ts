import { isIP } from 'node:net';

/**
 * Whether a Host header names this listener: an IP address, `localhost`, or a name of the settings. Prevents DNS rebinding,
 * where another site's name resolves to this address and its scripts could read what is served.
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
