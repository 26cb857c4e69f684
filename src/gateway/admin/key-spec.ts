import { fault, toSeconds, type Money, type UnixMillis } from '../../core/index.ts';
import { jsonNumber, jsonText, parseJson, type UnknownFields } from '../json.ts';
import type { Expiry } from '../scalars.ts';

/** docs/gateway.md G8.7. Every field is always sent: the effect of an omitted one is open. */
export type KeySpec = {
  /** At most 50 bytes: some gateways count bytes and not characters (docs/gateway.md G8.9). */
  readonly name: string;
  /** In a unit that is open (docs/gateway.md G8.10); the gateway ignores it when the quota is unlimited. */
  readonly remainQuota: Money;
  readonly unlimitedQuota: boolean;
  readonly expiredTime: Expiry;
  /** Empty for the default group. */
  readonly group: string;
};

/** docs/gateway.md G8.12: the whole key, with the fields that a read showed and the contract does not name. */
export type KeyUpdate = KeySpec & { readonly id: number; readonly rest?: UnknownFields | undefined };

/** docs/gateway.md G8.12: only the given fields. The effect on the others is open. */
export type KeyPatch = Partial<KeySpec> & { readonly id: number; readonly rest?: UnknownFields | undefined };

const longestName = 50;

const checkName = (name: string): void => {
  const bytes = Buffer.byteLength(name);
  if (bytes > longestName)
    throw fault(
      'key-spec-invalid',
      `the key name “${name}” has ${bytes} bytes; at most ${longestName} are allowed`,
    );
};

/** @throws Fault `key-spec-invalid`: the name is too long, or a new key would be unusable from the start. */
export const checkNewKey = (spec: KeySpec, now: UnixMillis): void => {
  checkName(spec.name);
  if (spec.expiredTime !== 'never' && spec.expiredTime <= toSeconds(now))
    throw fault(
      'key-spec-invalid',
      `the key “${spec.name}” would expire at ${spec.expiredTime}, which is in the past`,
    );
};

/** A past expiry may be written back, since an expired key has one. @throws Fault `key-spec-invalid` */
export const checkKeyUpdate = ({ name }: KeyPatch): void => {
  if (name !== undefined) checkName(name);
};

const fieldsOf = ({
  name,
  remainQuota,
  unlimitedQuota,
  expiredTime,
  group,
}: Partial<KeySpec>): Record<string, unknown> => ({
  name,
  ...(remainQuota === undefined ? {} : { remain_quota: jsonNumber(remainQuota) }),
  unlimited_quota: unlimitedQuota,
  ...(expiredTime === undefined ? {} : { expired_time: expiredTime === 'never' ? -1 : expiredTime }),
  group,
});

export const newKeyBody = (spec: KeySpec): string => jsonText(fieldsOf(spec));

export const keyUpdateBody = (update: KeyPatch): string =>
  jsonText({
    ...Object.fromEntries(Object.entries(update.rest ?? {}).map(([name, text]) => [name, parseJson(text)])),
    id: update.id,
    ...fieldsOf(update),
  });
