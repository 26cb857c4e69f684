import { exactSpanOf, spanOf, startOfMinute, toMillis } from '../../core/index.ts';
import type {
  ClockProblem,
  ExpiryNotice,
  HoldFacts,
  KeyMatter,
  OldKeyEnd,
  RetainReason,
  RetainFacts,
} from '../../keys/index.ts';
import type { KeyFacts } from '../key-texts.ts';
import { span } from './dates.ts';

export const list = (items: readonly string[]): string => items.join('、');
export const states = { deleted: '已删除', expired: '已过期', disabled: '已禁用', exhausted: '配额已用尽' };

type Held = Extract<KeyMatter, { event: 'held' }>;

export const heldTitle = ({ name, why: { reason }, escalated, isTimed }: Held): string => {
  if (escalated === true) return `旧密钥 ${name} 无法停用，且已超过 max_overlap`;
  if (reason === 'clock-skew') return '时钟存在偏差，暂不删除旧密钥';
  if (reason === 'place-undeclared' || reason === 'sink-holds-it')
    return `旧密钥 ${name} 予以保留：可能仍有应用使用它`;
  if (isTimed !== true) return `旧密钥 ${name} 予以保留`;
  return reason === 'used'
    ? `旧密钥 ${name} 仍在使用，且即将过期`
    : `旧密钥 ${name} 即将过期，而新密钥无法使用`;
};

const usedText = (
  name: string,
  { use, names, quota }: Extract<HoldFacts, { reason: 'used' }>,
  at: KeyFacts['at'],
): string => {
  if (quota !== undefined)
    return `${name} 仍在使用：确认其闲置之后，剩余配额从 ${quota.from} 降至 ${quota.to}。`;
  const under = names.length === 0 ? ' ' : `（名称 ${list(names)}）`;
  const models = use.models.slice(0, 5).map((one) => `${one.model}（${one.calls.toLocaleString('zh')}）`);
  const more = use.models.length - models.length;
  const listed = list([...models, ...(more > 0 ? [`另外 ${more} 个模型`] : [])]);
  const last = use.lastCall === undefined ? '' : `，最近一次在 ${at(toMillis(use.lastCall))}`;
  return `${name}${under}仍在使用：${use.calls.toLocaleString('zh')} 次调用${last}${listed === '' ? '' : `；模型：${listed}`}。`;
};

export const endText = (ends: OldKeyEnd, at: KeyFacts['at']): string =>
  ends.kind === 'at'
    ? `该密钥将于 ${at(toMillis(ends.at))} 过期，此后使用它的调用会失败。`
    : `该密钥在连续 ${span(spanOf(ends.quiet))}没有调用之后终止，最早在 ${at(startOfMinute(ends.from))}。`;

const clockText = (problem: ClockProblem, at: KeyFacts['at']): string => {
  if (problem.kind === 'contradicted')
    return problem.by > 0
      ? `网关的 Date 标头与其密钥的创建时间相差 ${span(exactSpanOf(problem.by))}，而已存储的调用日志尚无法表明调用时间取自哪一个时钟。在调用日志包含最新密钥的首次调用之前，不会删除任何密钥。`
      : '网关的 Date 标头与其密钥的创建时间不一致，或在跳变之前不一致，而已存储的调用日志无法表明调用时间取自哪一个时钟。在调用日志包含更新密钥的首次调用，或该标头与本机时钟一致之前，不会删除任何密钥。';
  return problem.kind === 'log-behind'
    ? `网关调用日志的时钟至少慢 ${span(exactSpanOf(problem.by))}：新密钥的首次调用时间比其创建时间早这么多。在时钟恢复正确之前，不会删除任何密钥。`
    : `网关的时钟比本机时钟${problem.offset < 0 ? '慢' : '快'} ${span(exactSpanOf(Math.abs(problem.offset)))}（测量时间：${at(problem.measuredAt)}）。在两者一致之前，不会删除任何密钥。`;
};

export const heldText = ({ name, why }: Held, { word, at }: KeyFacts): string => {
  switch (why.reason) {
    case 'used':
      return usedText(name, why, at);
    case 'successor-unused':
      return `切换以来没有使用 ${why.successor} 的调用：无法确定是否有应用在使用该密钥。`;
    case 'successor-dead':
      return `所有存放位置均已存放 ${why.successor}，但该密钥${states[why.state]}。请在网关恢复该密钥，或用 \`tollkeeper keys give-up\` 和 \`tollkeeper keys rotate\` 分发另一个密钥；在此之前只有 ${name} 可用。`;
    case 'log-incomplete':
      return `调用日志不完整（${why.why}）。按当前的 \`quiet\`，调用日志最多可滞后 ${span(exactSpanOf(why.lag))}：请至少每 ${span(exactSpanOf(why.lag / 2))}运行一次 \`pull-logs\`。`;
    case 'name-shared':
      return why.shared === undefined
        ? `切换以来，有其他密钥（ID ${why.ids.join('、')}）使用过 ${name} 或 ${why.successor} 的名称：日志中的调用无法对应到密钥。`
        : `切换以来，${name} 和 ${why.successor} 都使用过名称 ${why.shared}：日志中的调用无法对应到密钥。`;
    case 'clock-skew':
      return `${clockText(why.problem, at)}此后将自动恢复删除。`;
    case 'place-undeclared':
      return `${list(why.places)} 可能仍存有该密钥，但已没有作业声明这${why.places.length === 1 ? '个' : '些'}存放位置。请在 \`deliver\` 中重新声明，或用 \`tollkeeper keys give-up ${word} --forget-places\` 确认那里没有应用使用该密钥。`;
    default:
      return `${list(why.places)} 不再存有 ${why.successor}。${name} 的过期时间恢复为原来的值，直到所有存放位置都重新存有 ${why.successor}。`;
  }
};

export const retainTexts: Readonly<
  Record<RetainReason, (facts: RetainFacts, name: string, at: KeyFacts['at']) => string>
> = {
  ambiguous: ({ ids = [] }, name) =>
    `有 ${ids.length} 个密钥名为 ${name}（ID ${ids.join('、')}），无法确定 Tollkeeper 请求创建的是哪一个。`,
  'not-ours': ({ why }) =>
    why === undefined ? '密钥记录中没有创建它的请求。' : `它不是 Tollkeeper 请求创建的密钥（${why}）。`,
  'sinks-undeclared': () => '没有作业声明它的存放位置。',
  'sink-holds-it': ({ sink = '' }) => `有存放位置存有它（${sink}）。`,
  'sink-unreadable': ({ sink = '', why = '' }) => `有存放位置无法回读，可能存有它（${sink}：${why}）。`,
  'sink-unknown': ({ sink = '' }, name) =>
    `有存放位置存有密钥记录中没有的密钥，可能就是 ${name}（${sink}）。`,
  'sink-failed': ({ sink = '', why = '' }) => `有存放位置无法读取（${sink}：${why}）。`,
  used: ({ calls = 0 }) => `调用日志中有 ${calls.toLocaleString('zh')} 次使用它的调用。`,
  'log-incomplete': ({ until, why }, _, at) =>
    `在调用日志完整到 ${until === undefined ? '' : at(toMillis(until))} 之前，无法确定它是否在使用${why === undefined ? '' : `（${why}）`}。`,
};

export const standingOf = (
  { old }: Extract<KeyMatter, { event: 'step-failed' }>,
  service: string,
): string => {
  if (old === undefined) return '所有存放位置均已存放新密钥；这一步成功之前不会删除旧密钥。';
  const { state, name } = old;
  if (state === 'none') return `${service} 没有其他密钥。`;
  if (state === 'works') return '旧密钥未作更改，可正常使用。';
  return state === 'gone' ? `旧密钥 ${name} 已不存在。` : `旧密钥 ${name} ${states[state]}。`;
};

const clocks = {
  age: '创建于',
  idle: '未使用，始于',
  expired: '过期于',
  exhausted: '配额用尽且未使用，始于',
};

/** A notice to the owner of a key. */
export const noticeText = (notice: ExpiryNotice, at: KeyFacts['at']): string => {
  if (notice.kind === 'expires')
    return `该密钥将于 ${at(toMillis(notice.at))} 过期（提前 ${span(spanOf(notice.before))}提醒）。`;
  const { job, clock, began, isLonger, expires, deletes, evenIfUsed } = notice;
  const since = began === undefined ? '' : `（${clocks[clock]} ${at(began)}${isLonger ? '或更早' : ''}）`;
  const then = [
    ...(expires === undefined ? [] : [`最早 ${span(spanOf(expires))}后过期`]),
    ...(deletes === undefined ? [] : [`最早 ${span(spanOf(deletes))}后删除`]),
  ];
  return `作业 ${job} 将终止该密钥${since}${then.length === 0 ? '' : `：${then.join('，')}${evenIfUsed ? '' : '，除非它再被使用'}`}。`;
};
