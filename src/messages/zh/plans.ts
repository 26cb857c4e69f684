import { spanOf, toMillis, type UnixMillis } from '../../core/index.ts';
import type { SkipReason } from '../../keys/index.ts';
import { plainReasons, type PlanFacts, type PlanTexts } from '../plan-texts.ts';
import { span } from './dates.ts';
import { noticeText } from './key-reasons.ts';

const skips: Readonly<Record<SkipReason, string>> = {
  'not-due': '尚未到期',
  'older-generation': '已有更新的密钥',
  unfinished: '从未分发到所有存放位置',
  'in-rotation': '正在轮换',
  'age-unknown': '网关未提供创建时间；请手动轮换',
  'outside-window': '不在维护窗口内',
  'over-limit': '已达到 `limits.max_per_run`；留待以后运行处理',
  'min-remaining': '未更改的密钥将少于 `limits.min_remaining`',
  'name-not-unique': '名称不唯一，日志无法显示使用的是哪个密钥',
  'generation-not-unique': '代次不唯一',
  'current-unknown': '无法确定应用使用的是哪个密钥',
  'sink-unusable': '存放位置不可用',
  'not-ours': '仅名称符合该服务',
  'service-unusable': '服务名称不能用于路径和命令',
  'name-too-long': '下一个密钥的名称过长',
  disabled: '密钥已禁用',
  expired: '密钥已过期',
  exhausted: '配额已用尽；请先提高配额',
  revived: '曾停用或设为过期，但又重新有效',
  retired: '已停用',
  retained: '从未分发，但可能在使用，因此保留',
  used: '仍在使用；`even_if_used: true` 可强制终止',
  current: '存放位置存有该密钥；`even_if_current: true` 可强制终止',
  'clock-skew': '时钟存在偏差，无法证明密钥闲置',
  unreadable: '网关提供的信息无法读取；请在网关更正',
  'log-incomplete': '调用日志不完整',
  'inventory-incomplete': '密钥清单未覆盖所需时段；类型为 snapshot 的作业会生成清单',
};

const ending = { delete: '删除', expire: '设为过期' };

const rotation = ({ service, isSplit, terms }: Extract<PlanFacts, { kind: 'rotate' }>): string => {
  const { retire, overlap } = terms;
  const after = `${span(spanOf(overlap))}后`;
  const when =
    retire.when === 'unused'
      ? `日志显示连续 ${span(spanOf(retire.quiet))}没有使用旧密钥的调用时（最早 ${after}），旧密钥将被${ending[retire.ending]}`
      : `旧密钥将在 ${after}被${ending[retire.ending]}`;
  return `${isSplit ? '上次轮换被放弃后，各存放位置的密钥可能不一致。' : ''}将为 ${service} 创建、验证并分发新密钥；${when}。`;
};

const due = ({ clock, passed }: Extract<PlanFacts, { kind: 'end' }>): string => {
  const length = span(spanOf(passed));
  if (clock === 'age') return `创建至少 ${length}`;
  if (clock === 'idle') return `${length}未使用`;
  return clock === 'expired' ? `过期至少 ${length}` : `配额用尽且 ${length}未使用`;
};

const end = (facts: Extract<PlanFacts, { kind: 'end' }>, at: (moment: UnixMillis) => string): string => {
  const { action } = facts;
  if (action.kind === 'delete') return `将永久删除（${due(facts)}）。`;
  if (action.kind === 'expire')
    return 'at' in action
      ? `将于 ${at(toMillis(action.at))} 过期（${due(facts)}）。`
      : `将立即过期（${due(facts)}）。`;
  const { notice, stage } = action;
  return `将通知负责团队（${due(facts)}）：${notice === undefined ? stage : noticeText(notice, at)}`;
};

const kinds = [
  ['rotate', (count: string) => `轮换 ${count} 个密钥`],
  ['warn', (count: string) => `就 ${count} 个密钥通知负责团队`],
  ['expire', (count: string) => `将 ${count} 个密钥设为过期`],
  ['delete', (count: string) => `删除 ${count} 个密钥`],
] as const;

export const chinesePlans: PlanTexts = {
  title: ({ skipped, ...planned }) => {
    const parts = kinds.flatMap(([kind, describe]) => {
      const { [kind]: count } = planned;
      return count === undefined ? [] : [describe(count.toLocaleString('zh'))];
    });
    const more = skipped === 0 ? [] : [`跳过 ${skipped.toLocaleString('zh')} 个`];
    return `计划：${[...(parts.length === 0 ? ['没有密钥需要终止'] : parts), ...more].join('，')}`;
  },
  planned: (facts, at) => (facts.kind === 'rotate' ? rotation(facts) : end(facts, at)),
  skipped: (reason, message, at) => {
    if (plainReasons.has(reason)) return `${skips[reason]}。`;
    if (at === undefined) return `${skips[reason]}（${message}）`;
    return `${skips[reason]}；${reason === 'used' ? `最近一次调用在 ${at}` : `下一个窗口始于 ${at}`}。`;
  },
  age: (millis) => span(spanOf(millis)),
  more: (count) => `…… 另有 ${count.toLocaleString('zh')} 个密钥。`,
  usual: (count) =>
    `另有 ${count.toLocaleString('zh')} 个密钥按预期跳过：尚未到期、正在轮换或已有更新的密钥。`,
  closing: (job, account, at) => [
    `作业 ${job}（账户 ${account}）的计划，生成于 ${at}。未作任何更改。`,
    `\`tollkeeper keys plan ${job} -o plan.json\` 将计划写入文件，\`tollkeeper keys apply plan.json\` 执行计划。`,
    '设置 `mode: apply` 后，作业会自动执行。',
  ],
  recipients: (job) => `作业 ${job} 的 mail.to`,
  blocked: {
    current: (service) => ({
      title: `${service} 的密钥未轮换：无法确定应用使用的是哪个密钥`,
      advice: '请运行 `tollkeeper keys rotate id:N`，其中 N 为要替换的密钥的 ID。',
    }),
    name: (name, word, job) => ({
      title: `密钥 ${name} 因名称无法轮换`,
      advice: `请运行 \`tollkeeper keys adopt ${word} --service SHORTER --generation 1 --move\`，或在作业 ${job} 中设置更短的 \`name\` 模板。`,
    }),
    closing: '在此之前，该密钥继续有效，不会创建后续密钥。不再就此发送邮件。',
  },
};
