import type { Reserve, RunwayTexts } from './texts.ts';

const reserve = ({ kind, name }: Reserve): string =>
  kind === 'runway' ? `账户 ${name} 的余额` : `密钥 ${name} 的配额`;

export const chinese: RunwayTexts = {
  title: (of, days) => `${reserve(of)}还可使用 ${days} 天`,
  days: (days, low, high) => `${days} 天（${low} ${high === undefined ? '天以上' : `至 ${high} 天`}）`,
  usedUp: (of, days) => `按当前用量，${reserve(of)}将在 ${days}后用尽。`,
  lasts: (of, days) =>
    days === undefined
      ? `当前没有用量，${reserve(of)}不会用尽。`
      : `按当前用量，${reserve(of)}可使用 ${days}。`,
  left: (left, perDay) => `${left}（网关的单位）；每天使用 ${perDay}`,
  advice: {
    runway: '请在此之前在网关为账户充值。余额用尽后，调用将失败。',
    key: '请提高该密钥的配额，或轮换该密钥：配额用尽后，使用该密钥的调用将失败。',
  },
  noFurther: (kind, word) =>
    `${kind === 'runway' ? '余额' : '配额'}回升之前，不再就此级别发送邮件。\`tollkeeper alerts mute ${word} --until DATE\` 停止通知。`,
  recoveredTitle: (of) => `${reserve(of)}已恢复充足`,
  currentState: '`tollkeeper alerts` 显示当前状态。',
};
