import { hoursText, startOfMinute, toMillis } from '../../core/index.ts';
import type { KeyTexts } from '../key-texts.ts';
import {
  endText,
  heldText,
  heldTitle,
  list,
  noticeText,
  retainTexts,
  standingOf,
  states,
} from './key-reasons.ts';

export const chineseKeys: KeyTexts = {
  events: {
    exposure: ({ name, quota, sum, olds }, { service }) => ({
      title: `${service} 暂时最多可使用 ${olds.length + 1} 倍配额`,
      message: `除 ${name} 的配额 ${quota} 之外，下列旧密钥停用之前还可使用 ${sum}（网关的单位）：${list(olds.map((old) => `${old.name}（${old.remain}）`))}。在此之前的用量会从 ${name} 扣除，因此合计最多为 ${olds.length + 1} 倍配额。`,
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
    outdated: ({ differences, stated }, { service, word }) => ({
      title: `${service} 的密钥操作已暂停：密钥记录已过时`,
      message: `${
        differences === undefined
          ? `密钥记录早于当前状态（${stated.join('；')}）。`
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
    paused: ({ why }, { service }) => ({
      title: `${service} 的轮换仍处于暂停状态：需要处理`,
      message: `原因：${why}`,
    }),
    unconfirmed: ({ name, place }) => ({
      title: `密钥 ${name} 需要确认`,
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
    'old-key-used': ({ name, successor, from, to, hours, ends }, { at, zone }) => ({
      title: `旧密钥 ${name} 仍在使用`,
      message: `${successor} 已取代 ${name}，但从 ${at(toMillis(from))} 到 ${at(toMillis(to))} 仍有使用 ${name} 的调用，时段：${hoursText(hours, zone)}。${endText(ends, at)}`,
    }),
    'old-key-unused': ({ name, from, to, lastCall, ends }, { at }) => ({
      title: `旧密钥 ${name} 已不再使用`,
      message: `从 ${at(toMillis(from))} 到 ${at(toMillis(to))} 没有使用 ${name} 的调用${lastCall === undefined ? '' : `；最近一次在 ${at(startOfMinute(toMillis(lastCall)))}`}。${endText(ends, at)}`,
    }),
    ending: ({ name, notice, stage }, { at }) => ({
      title: notice?.kind === 'expires' ? `密钥 ${name} 即将过期` : `密钥 ${name} 即将终止`,
      message: notice === undefined ? stage : noticeText(notice, at),
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
    used: () => '请将仍使用旧密钥的应用切换到新密钥。',
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
  daily: '旧密钥被使用的每一天发送一封邮件，不再使用时再发送一封。',
  noFurther: '不再就此事件发送邮件。',
  owner: (owner) => `，负责人 ${owner}`,
  recipients: (operators, team) => `${operators} 和 ${team}`,
  auditHead: (steps, hash) => `审计日志：${steps.toLocaleString('zh')} 步，最新哈希 ${hash}。`,
};
