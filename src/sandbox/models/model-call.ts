import { modelError, type Answer } from '../answer.ts';
import { keyState, type StoredKey } from '../keys.ts';
import { bearer, type Request } from '../request.ts';
import { remainOf, type State } from '../state.ts';
import { inUnits } from '../traffic/day.ts';
import { charge, modelByName, type Model, type Usage } from '../traffic/models.ts';
import { plainRow } from '../traffic/row.ts';
import { readBody, type Body, type Rule } from './read-body.ts';

const refusals = {
  wrong: { code: 'invalid_api_key', message: 'invalid API key' },
  disabled: { code: 'key_disabled', message: 'this API key is disabled' },
  expired: { code: 'key_expired', message: 'this API key has expired' },
  exhausted: { code: 'insufficient_quota', message: 'the quota of this API key is used up' },
} as const;

/** The valid API key of a model call, or the refusal (docs/gateway.md G9.2). */
export const callingKey = (state: State, request: Request): StoredKey | Answer => {
  const { variants } = state;
  const refuse = (reason: keyof typeof refusals): Answer => {
    const { code, message } = refusals[reason];
    return modelError(variants.model_key_errors, 'authentication_error', code, message);
  };
  const given = bearer(request.headers);
  const isRefused = variants.key_prefix.isRequired && given?.startsWith('sk-') !== true;
  const plaintext = isRefused ? undefined : given;
  const at = state.seconds();
  const cached = variants.key_cache;
  const key = plaintext === undefined ? undefined : state.keys.find(plaintext, at - cached);
  if (key === undefined) return refuse('wrong');
  const known = keyState(key, remainOf(state, key), at);
  // A cache keeps the earlier state of the key for a while, so the key ends later for it.
  if (known === 'disabled' && key.disabledAt + cached <= at) return refuse('disabled');
  if (known === 'expired' && Math.max(key.expiredTime, key.expiredSince) + cached <= at)
    return refuse('expired');
  return known === 'exhausted' ? refuse('exhausted') : key;
};

export const badCall = (message: string): Answer =>
  modelError(400, 'invalid_request_error', 'invalid_request', message);

export const calledModel = ({ variants }: State, name: unknown, kind: Model['kind']): Model | Answer => {
  if (typeof name !== 'string' || name === '') return badCall('model is required');
  const model = modelByName.get(name);
  if (model?.kind === kind) return model;
  const message = `no available channel for model ${name} in this group`;
  if (variants.model_unavailable === '400')
    return modelError(400, 'invalid_request_error', 'invalid_model', message);
  return modelError(Number(variants.model_unavailable), 'api_error', 'model_not_found', message);
};

export const isAnswer = (value: object): value is Answer => 'status' in value && 'headers' in value;

/** A call with a valid key and body. */
export type Call = {
  readonly state: State;
  readonly request: Request;
  readonly key: StoredKey;
  readonly body: Body;
};

/** The endpoint for bodies with these fields; the text that `handle` may return says why a call is invalid. */
export const modelCall =
  (rules: Readonly<Record<string, Rule>>, handle: (call: Call) => Answer | string) =>
  (state: State, request: Request, key: StoredKey): Answer => {
    const body = readBody(request.body, rules);
    const answer = typeof body === 'string' ? body : handle({ state, request, key, body });
    return typeof answer === 'string' ? badCall(answer) : answer;
  };

export const bookCall = (
  { state, key }: Call,
  model: Model,
  usage: Partial<Usage> = {},
  stream = false,
): void => {
  const at = state.seconds();
  const { name: token, group } = key;
  const row = plainRow('consumption', at, {
    model,
    token,
    group,
    live: true,
    useTime: 1,
    ...usage,
    stream,
  });
  const grains = state.wholeUnits ? inUnits(charge(model, row)) : charge(model, row);
  state.ledger.book({ ...row, grains });
  key.spentSinceRead += BigInt(grains);
  if (key.unlimited) return;
  key.remain -= BigInt(grains);
  if (key.remain <= 0n) key.exhaustedAt ??= at;
};

/** An estimate: four bytes of UTF-8 are one token. */
export const tokensOf = (text: string): number => Math.ceil(Buffer.byteLength(text) / 4);
