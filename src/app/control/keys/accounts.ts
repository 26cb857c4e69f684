import { didYouMean, fault } from '../../../core/index.ts';
import type { KeyService, RotationView } from '../../../keys/index.ts';
import type { FoundKey } from './find.ts';

export type OpenRotation = { readonly account: string; readonly view: RotationView };

export type KeyAccounts = ReturnType<typeof createKeyAccounts>;

export const createKeyAccounts = (
  all: readonly string[],
  keyService: (account: string) => Promise<Pick<KeyService, 'survey' | 'open'>>,
) => {
  /** The named account, else all. @throws Fault `wrong-use` */
  const named = (account: string | undefined): readonly string[] => {
    if (account !== undefined && all.includes(account)) return [account];
    if (account === undefined && all.length > 0) return all;
    throw fault(
      'wrong-use',
      account === undefined
        ? 'no account is declared'
        : `account ${account} is not declared; declared accounts: ${all.join(', ') || 'none'}`,
      {
        advice:
          didYouMean(account ?? '', all) ??
          'use an account that is declared under `accounts` in tollkeeper.yaml',
      },
    );
  };

  const keysOf = async (account: string, signal: AbortSignal): Promise<readonly FoundKey[]> => {
    const { keys } = await (await keyService(account)).survey(signal);
    return keys.map((key) => ({ ...key, account }));
  };

  /** @throws Fault `wrong-use` when several accounts have an open rotation of the service */
  const openOf = async (service: string, account: string | undefined): Promise<OpenRotation | undefined> => {
    const found: OpenRotation[] = [];
    for (const name of named(account))
      for (const view of await (await keyService(name)).open())
        if (view.service === service) found.push({ account: name, view });
    if (new Set(found.map((one) => one.account)).size < 2) return found[0];
    const where = found.map((one) => one.account).join(' and ');
    throw fault('wrong-use', `${service} exists in several accounts: ${where}`, {
      advice: 'select the account with --account',
    });
  };

  return {
    named,
    keysOf,
    openOf,
    allKeys: async (account: string | undefined, signal: AbortSignal): Promise<readonly FoundKey[]> => {
      const keys: FoundKey[] = [];
      for (const name of named(account)) keys.push(...(await keysOf(name, signal)));
      return keys;
    },
    /** @throws Fault `wrong-use` when the account is ambiguous */
    ofService: async (service: string, account: string | undefined): Promise<string> => {
      const open = await openOf(service, account);
      const [first, second] = named(account);
      if (open !== undefined) return open.account;
      // With one account left, the key service itself reports what is missing.
      if (first !== undefined && second === undefined) return first;
      throw fault('wrong-use', `${service} has no rotation in progress in any account`, {
        advice: '`tollkeeper keys list` shows the rotations in progress',
      });
    },
  };
};
