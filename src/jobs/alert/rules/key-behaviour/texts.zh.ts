import type { BehaviourTexts } from './texts.ts';

export const chinese: BehaviourTexts = {
  title: (key, spend) => `密钥 ${key} 的使用方式前所未有：24 小时内 ${spend}`,
  what: ({ key, spend, usual }) =>
    `密钥 ${key} 最近 24 小时的支出为 ${spend}，通常为 ${usual}。如果其负责人不知道原因，该密钥可能已泄露。`,
  newModels: (models) => `此前从未调用过的模型：${models}。`,
  newHours: (hours) => `此前从未调用过的时段（UTC）：${hours}。`,
  hours: (from, to) => `${from} 至 ${to}`,
  advice: (target) =>
    'service' in target
      ? `请询问其负责人。如果密钥已泄露，请立即更换：\`tollkeeper keys rotate ${target.service} --now\` 会创建新密钥并删除此密钥。`
      : `请询问其负责人。如果密钥已泄露，请立即停用：\`tollkeeper keys expire ${target.key}\`。没有任务轮换此密钥，其使用方需要新的密钥。`,
  noFurther: (word) =>
    `在其支出回落之前，不再就此密钥发送邮件。\`tollkeeper alerts mute ${word} --until DATE\` 停止通知。`,
  recoveredTitle: (key) => `密钥 ${key} 的使用已恢复如前`,
  recovered: (key) => `密钥 ${key} 的支出已降至其中位数的五倍以下。`,
  measured: (months, alarms) => `误报频率：在模拟密钥的 ${months} 个月内有 ${alarms} 次无泄露的告警。`,
  currentState: '`tollkeeper alerts` 显示当前状态。',
};
