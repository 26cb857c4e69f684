import type { MailTexts } from '../mail-texts.ts';

const action = '确认或静默';
const actionLimits = (days: number): string => `限用一次，${days} 天内有效`;

export const chineseMails: MailTexts = {
  lines: {
    what: '内容',
    toDo: '处理方法',
    reason: '原因',
    account: '账户',
    also: '另外',
    cause: '增长原因',
    outlook: '预测',
    scope: '范围',
    period: '周期',
    through: '数据截至',
    now: '当前',
    known: '已知',
    when: '时间',
    left: '剩余',
    usedUp: '用尽时间',
    read: '读取时间',
    slot: '计划时间',
    nextSlot: '下次计划',
    manualRun: '手动运行',
    lastRun: '最近运行',
    downSince: '故障起始',
    fault: '错误',
    found: '发现',
    compared: '核对周期',
    seen: '发现',
    firstSeen: '首次发现',
  },
  unnamed: '（未命名）',
  more: (count) => `…… 另有 ${count} 项。`,
  statusPage: (url) => `状态页：${url}`,
  recipients: (setting) => `本邮件的收件人在 \`${setting}\` 中设置。`,
  action,
  actionLimits,
  actionIntro: (days) => `${action}（${actionLimits(days)}）：`,
};
