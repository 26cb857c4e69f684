import { exactSpanOf, spanOf, toMillis } from '../../core/index.ts';
import type { ExpiryNotice, HoldFacts, KeyMatter, RetainReason, RetainFacts } from '../../keys/index.ts';
import type { KeyFacts, KeyTexts } from '../key-texts.ts';
import { span } from './dates.ts';

const list = (items: readonly string[]): string => items.join('、');
const states = { deleted: '已删除', expired: '已过期', disabled: '已停用', exhausted: '配额已用尽' };

type Held = Extract<KeyMatter, { event: 'held' }>;

const heldTitle = ({ name, why: { reason }, escalated, isTimed }: Held): string => {
  if (escalated === true) return `旧密钥 ${name} 无法停用，且已超过 max_overlap`;
  if (reason === 'clock-skew') return '时钟偏差，无法删除旧密钥';
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
  const under = names.length === 0 ? '' : `（名称 ${list(names)}）`;
  const models = use.models.slice(0, 5).map((one) => `${one.model}（${one.calls.toLocaleString('zh')}）`);
  const more = use.models.length - models.length;
  const listed = list([...models, ...(more > 0 ? [`另外 ${more} 个模型`] : [])]);
  const last = use.lastCall === undefined ? '' : `，最近一次在 ${at(toMillis(use.lastCall))}`;
  return `${name}${under} 仍在使用：${use.calls.toLocaleString('zh')} 次调用${last}${listed === '' ? '' : `；模型：${listed}`}。`;
};

const heldText = ({ name, why, words }: Held, { word, at }: KeyFacts): string => {
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
      return `时钟不一致时，调用日志不能作为依据，因此不会删除任何密钥；时钟一致后将自动恢复删除。详情：${words}`;
    case 'place-undeclared':
      return `${list(why.places)} 可能仍存有该密钥，但已没有作业声明这${why.places.length === 1 ? '个' : '些'}存放位置。请在 \`deliver\` 中重新声明，或用 \`tollkeeper keys give-up ${word} --forget-places\` 确认那里没有应用使用该密钥。`;
    default:
      return `${list(why.places)} 不再存有 ${why.successor}。${name} 的过期时间恢复为原来的值，直到所有存放位置都重新存有 ${why.successor}。`;
  }
};

const retainTexts: Readonly<
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
    `调用日志完整到 ${until === undefined ? '' : at(toMillis(until))} 之前，无法确定它是否在使用${why === undefined ? '' : `（${why}）`}。`,
};

const standingOf = ({ old }: Extract<KeyMatter, { event: 'step-failed' }>, service: string): string => {
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

export const chineseKeys: KeyTexts = {
  events: {
    exposure: ({ name, quota, sum, olds }, { service }) => ({
      title: `${service} 暂时最多可使用 ${olds.length + 1} 倍配额`,
      message: `除 ${name} 的 ${quota} 之外，在${olds.length === 1 ? '下列旧密钥' : '下列各旧密钥'}停用之前还可使用 ${sum}（网关的单位）：${list(olds.map((old) => `${old.name}（${old.remain}）`))}。在此之前的用量会从 ${name} 扣除，因此合计最多为 ${olds.length + 1} 倍配额。`,
    }),
    'quota-used-up': ({ name, old }) => ({
      title: `${name} 的配额已用尽`,
      message: `${old} 在重叠期内的用量已用尽 ${name} 的配额。所有存放位置存放的都是 ${name}，使用它的调用会失败。`,
      advice: `如仍需使用 ${name}，请在网关提高其配额。`,
    }),
    'quota-not-adjusted': ({ name, old, why }) => ({
      title: `${name} 的配额未调整`,
      message: `已泄露的密钥 ${old} 的用量无法从 ${name} 扣除（${why}）。${old} 仍会被删除。`,
    }),
    'taken-away': ({ name }, { service }) => ({
      title: `新密钥 ${name} 在 Tollkeeper 之外被删除`,
      message: `${name} 是 ${service} 的新密钥，可能已存放到存放位置。将另行创建一个密钥；在所有存放位置都存有该密钥之前，不会停用任何旧密钥。`,
      advice: '请查明是谁删除了该密钥。在后续密钥分发之前，使用它的调用会失败。',
    }),
    'still-there': ({ name, keyId, since }, { at }) => ({
      title: `密钥 ${name} 删除后仍然存在`,
      message: `已于 ${at(since)} 请求网关删除 ${name}（ID ${keyId}），但网关仍列出该密钥。每个周期都会重新请求删除。`,
      advice: '请在网关检查该密钥；如仍可使用，请手动删除。',
    }),
    'orphan-deleted': ({ name }) => ({
      title: '已删除一个遗留密钥',
      message: `创建 ${name} 的请求未收到响应，该密钥较晚才出现在网关的列表中，现已删除。`,
    }),
    'orphan-retained': ({ name, keyId, identified, reason, facts }, { service, at }) => ({
      title: identified ? `密钥 ${name} 予以保留：可能仍在使用` : `密钥 ${name} 归属不明`,
      message: `${name}（ID ${keyId}）由 ${service} 的轮换请求创建，根据密钥记录从未分发。该密钥未被删除：${retainTexts[reason](facts, name, at)}`,
      advice: `请查明使用者。如无人使用，请用 \`tollkeeper keys expire id:${keyId}\` 终止该密钥。`,
    }),
    outdated: ({ differences, words }, { service, word }) => ({
      title: `${service} 的密钥操作已暂停：密钥记录已过时`,
      message: `${
        differences === undefined
          ? `密钥记录早于当前状态（${words}）。`
          : `密钥记录早于当前状态：${differences
              .map((one) =>
                one.kind === 'key'
                  ? `网关列出 ${one.name}（ID ${one.keyId}），而记录只到第 ${one.highest} 代`
                  : `${one.place} 存有记录中从未分发到此处的密钥（SHA-256 ${one.fingerprint.slice(0, 12)}…）`,
              )
              .join('；')}。`
      }可能是数据目录从备份恢复、密钥由他人创建，或该服务由另一个 Tollkeeper 管理。${service} 的密钥不会被创建、分发、更改或删除。`,
      advice: `请停止管理该服务的其他 Tollkeeper。\`tollkeeper keys reconcile ${word}\` 显示差异；加上 --apply 后，密钥记录采用当前状态，其余不变。`,
    }),
    'sink-dead': ({ place, name, keyId, state }, { service, word }) => ({
      title: `${service} 的存放位置存有失效的密钥`,
      message: `${place} 存有 ${name}（ID ${keyId}），该密钥${states[state]}：使用它的调用会被拒绝。`,
      advice: `\`tollkeeper keys rotate ${word}\` 将可用的密钥分发到该服务的所有存放位置。`,
    }),
    'step-failed': (about, { service }) => {
      const { step, why, tries } = about;
      const standing = standingOf(about, service);
      return tries === undefined
        ? {
            title: `${service} 的一个轮换步骤失败`,
            message: `步骤 ${step}：${why}。${standing}该步骤会自动重试。`,
          }
        : {
            title: `${service} 的轮换已暂停：需要处理`,
            message: `步骤 ${step} 已失败 ${tries} 次：${why}。${standing}`,
          };
    },
    paused: ({ words }, { service }) => ({
      title: `${service} 的轮换仍处于暂停状态：需要处理`,
      message: `原因：${words}`,
    }),
    unconfirmed: ({ name, place }) => ({
      title: `密钥 ${name} 有待确认`,
      message: `${name} 已存放到 ${place}，需用 \`tollkeeper keys confirm\` 确认。`,
    }),
    'too-many-keys': ({ names }, { service }) => ({
      title: `${service} 的轮换受阻`,
      message: `本次轮换已创建 ${list(names)}，这些密钥可能仍在使用。其中一个终止之前不再创建新密钥：请用 \`tollkeeper keys expire\` 终止其中一个。`,
    }),
    'no-sink': ({ job }, { service, word }) => ({
      title: `${service} 的轮换受阻`,
      message: `作业 ${job} 未声明该密钥的存放位置。请在 \`deliver\` 中声明，或用 \`tollkeeper keys give-up ${word}\` 结束轮换。`,
    }),
    held: (about, facts) => {
      const text = { title: heldTitle(about), message: heldText(about, facts) };
      const { reason } = about.why;
      if (reason === 'clock-skew') return { ...text, advice: '请同步两台主机的时钟（NTP）；无需其他操作。' };
      return reason === 'place-undeclared' || reason === 'sink-holds-it'
        ? { ...text, advice: '在此之前不会删除任何密钥。' }
        : text;
    },
    ending: ({ name, notice, words }, { at }) => ({
      title: notice?.kind === 'expires' ? `密钥 ${name} 即将过期` : `密钥 ${name} 即将终止`,
      message: notice === undefined ? words : noticeText(notice, at),
    }),
    stuck: ({ why, since }, { account, at }) => ({
      title: `账户 ${account} 的轮换无法继续`,
      message: `${why}。自 ${at(since)} 起未执行任何轮换步骤；每五分钟重试一次。`,
    }),
    'stuck-over': ({ since }, { account, at }) => ({
      title: `账户 ${account} 的轮换已恢复`,
      message: `轮换自 ${at(since)} 起无法继续，现正执行到期的步骤。`,
    }),
    closed: ({ why, since }, { at }) => ({
      title: '密钥操作已暂停：密钥记录无效',
      message: `${why}。不会创建、更改或删除任何密钥。首次发现：${at(since)}；守护进程运行期间每五分钟检查一次密钥记录。报告和拉取照常进行。`,
    }),
    'closed-over': ({ since }, { at }) => ({
      title: '密钥记录重新有效：轮换已恢复',
      message: `密钥记录自 ${at(since)} 起被判定为无效，现正执行到期的步骤。`,
    }),
  },
  advice: {
    failed: () =>
      '守护进程运行期间，该步骤每五分钟重试一次，多次失败后间隔加长；没有守护进程时，在作业以 apply 模式运行时重试。',
    waiting: (word) =>
      `请排除原因后运行 \`tollkeeper keys resume ${word}\`，或放弃轮换：\`tollkeeper keys give-up ${word}\`。`,
    held: () => '请将仍使用旧密钥的应用切换到新密钥。在此之前保留旧密钥。',
    escalated: (word) =>
      `请查明仍在使用旧密钥的应用。\`tollkeeper keys list ${word}\` 显示其使用情况；旧密钥闲置之前不会删除。`,
    warning: () => '如仍需使用该密钥，请延长其有效期，或使用该密钥。',
  },
  use: ({ calls, lastCall, spend, models }, at, currency = '') =>
    [
      `${calls.toLocaleString('zh')} 次调用`,
      ...(lastCall === undefined ? [] : [`最近一次 ${at(toMillis(lastCall))}`]),
      ...models.slice(0, 3).map((one) => `${one.model} ${one.calls.toLocaleString('zh')}`),
      ...(models.length > 3 ? [`另外 ${models.length - 3} 个模型`] : []),
      ...(spend === undefined ? [] : [`支出 ${`${spend} ${currency}`.trim()}`]),
    ].join('，'),
  service: (service, account, team) =>
    `${service}（账户 ${account}${team === undefined ? '' : `，团队 ${team}`}）`,
  allAccounts: '全部',
  shows: (now, history) => `\`${now}\` 显示当前状态；\`${history}\` 显示每一步。`,
  reminder: '解决之前，每周发送一次提醒。',
  noFurther: '不再就此事件发送邮件。',
  recipients: (operators, team) => `${operators} 和 ${team}`,
  auditHead: (steps, hash) => `审计日志：${steps.toLocaleString('zh')} 步，最新哈希 ${hash}。`,
};
