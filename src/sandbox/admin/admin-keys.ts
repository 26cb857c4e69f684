import { missingKey, ok, refused, type Answer, type Message } from '../answer.ts';
import { handedOut, hasExpired, shownKey, type KeyFields, type StoredKey } from '../keys.ts';
import { isRecord, wholeParameter, writtenNumber, type Request } from '../request.ts';
import { remainOf, syncTraffic, type State } from '../state.ts';
import type { Choices } from '../variants.ts';

const faults = {
  body: { en: 'invalid parameters', zh: '无效的参数' },
  name: { en: 'the key name is too long or missing', zh: '令牌名称过长或缺失' },
  quota: { en: 'remain_quota must be a number of at least 0', zh: '额度值无效' },
  unlimited: { en: 'unlimited_quota must be true or false', zh: 'unlimited_quota 参数无效' },
  expiry: { en: 'expired_time is not a valid time', zh: '过期时间无效' },
  group: { en: 'group must be text', zh: '分组无效' },
} as const satisfies Record<string, Message>;

const NAME_LIMIT = 50;

const quotaOf = (variants: Choices, value: unknown, digits: string | undefined): bigint | undefined => {
  if (typeof value !== 'number' || value < 0 || !Number.isFinite(value)) return undefined;
  return variants.quota_request_unit(value, digits);
};

/** Missing fields come from `kept`, or are empty: quota 0, limited, expired at 0, default group. Then the name is required. */
const readFields = (
  variants: Choices,
  { body, text }: Pick<Request, 'body' | 'text'>,
  kept: KeyFields | undefined,
): { -readonly [Field in keyof KeyFields]: KeyFields[Field] } | Message => {
  if (!isRecord(body)) return faults.body;
  const name = body['name'] ?? kept?.name;
  if (typeof name !== 'string' || name === '' || variants.name_limit(name) > NAME_LIMIT) return faults.name;
  const asked = body['remain_quota'];
  const remain =
    asked === undefined
      ? (kept?.remain ?? 0n)
      : quotaOf(variants, asked, writtenNumber(text, 'remain_quota'));
  if (remain === undefined) return faults.quota;
  const unlimited = body['unlimited_quota'] ?? kept?.unlimited ?? false;
  if (typeof unlimited !== 'boolean') return faults.unlimited;
  const expiredTime = body['expired_time'] ?? kept?.expiredTime ?? 0;
  if (typeof expiredTime !== 'number' || !Number.isSafeInteger(expiredTime) || expiredTime < -1)
    return faults.expiry;
  const group = body['group'] ?? kept?.group ?? '';
  if (typeof group !== 'string') return faults.group;
  return { name, remain, unlimited, expiredTime, group: group === '' ? 'default' : group };
};

const show = (state: State, key: StoredKey): ReturnType<typeof shownKey> => {
  const remain = remainOf(state, key);
  key.spentSinceRead = 0n;
  return shownKey(state.variants, key, remain, state.seconds());
};

/** GET /api/token/ (docs/gateway.md G8.3). */
export const listKeys = (state: State, { query }: Request): Answer => {
  const { variants } = state;
  const page = Math.max(1, wholeParameter(query, 'p') || 1);
  const asked = wholeParameter(query, 'page_size') || 0;
  const wanted = asked > 0 ? asked : variants.page_size_default;
  const size = Math.min(wanted, variants.page_size_cap);
  const all = state.listing.shown().toSorted((a, b) => (a.id - b.id) * variants.page_order);
  return ok({
    items: all.slice((page - 1) * size, page * size).map((key) => show(state, key)),
    page,
    page_size: variants.page_size_echo === 'effective' ? size : wanted,
    total: variants.page_total(all.length),
  });
};

const find = (state: State, id: unknown): StoredKey | undefined => state.keys.get(Number(id));

/** GET /api/token/{id} */
export const readKey = (state: State, { id }: Request): Answer => {
  const key = find(state, id);
  return key === undefined ? missingKey(state.variants) : ok(show(state, key));
};

/** POST /api/token/; no other answer contains the plaintext. */
export const createKey = (state: State, { body, text }: Request): Answer => {
  const { variants } = state;
  if (state.keys.all().length >= variants.key_cap) {
    return refused(variants, { en: 'an account can have 1000 keys at most', zh: '令牌数量已达上限 1000' });
  }
  const fields = readFields(variants, { body, text }, undefined);
  if ('en' in fields) return refused(variants, fields);
  if (fields.expiredTime === 0) fields.expiredTime = variants.zero_expiry;
  const past = fields.expiredTime !== -1 && fields.expiredTime <= state.seconds();
  if (past && variants.past_expiry === 'refused') return refused(variants, faults.expiry);
  const { key, plaintext } = state.keys.create({ ...fields, createdAt: state.seconds() });
  handedOut(plaintext);
  return ok({ id: key.id, key: variants.key_prefix.shown + plaintext });
};

/** PUT /api/token/ */
export const updateKey = (state: State, { body, text }: Request): Answer => {
  const { variants } = state;
  if (!isRecord(body) || !Number.isSafeInteger(body['id'])) return refused(variants, faults.body);
  const key = find(state, body['id']);
  if (key === undefined) return missingKey(variants);
  const remain = remainOf(state, key);
  const fields = readFields(
    variants,
    { body, text },
    variants.update === 'keep' ? { ...key, remain } : undefined,
  );
  if ('en' in fields) return refused(variants, fields);
  if (body['remain_quota'] !== undefined)
    fields.remain = variants.update_quota(fields.remain, key.spentSinceRead);
  const at = state.seconds();
  if (!hasExpired(key, at) && hasExpired(fields, at)) key.expiredSince = at;
  Object.assign(key, fields);
  key.remainSince = at;
  key.exhaustedAt = undefined;
  syncTraffic(state, key);
  return ok(show(state, key));
};

/** DELETE /api/token/{id} */
export const deleteKey = (state: State, { id }: Request): Answer => {
  const key = find(state, id);
  if (key === undefined || !state.keys.remove(key.id, state.seconds())) return missingKey(state.variants);
  syncTraffic(state, key, true);
  return ok(null);
};
