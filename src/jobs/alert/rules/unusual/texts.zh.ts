import type { UnusualOf, UnusualTexts } from './texts.ts';

const scope = ({ of, name }: UnusualOf): string =>
  ({ account: `账户 ${name}`, model: `模型 ${name}`, service: `服务 ${name}` })[of];

export const chinese: UnusualTexts = {
  scope,
  heading: scope,
  title: (of, more) => `${scope(of)} 的支出异常：多出 ${more}`,
  titleOfSeveral: (of, more, others) => `${scope(of)} 的支出异常：多出 ${more}，另有 ${others} 项`,
  what: ({ of, window, spend, usual, more }) =>
    window === 'hour'
      ? `${scope(of)} 有若干小时的支出为 ${spend}，比同一时段通常的 ${usual} 多 ${more}。`
      : `${scope(of)} 最近 24 小时的支出为 ${spend}，比通常的 ${usual} 多 ${more}。`,
  cause: ({ calls, usualCalls, price, usualPrice }) =>
    `调用 ${calls} 次，通常为 ${usualCalls} 次${price === undefined ? '' : `；每次 ${price}${usualPrice === undefined ? '' : `，通常为 ${usualPrice}`}`}。`,
  contributions: (parts) => `与一周前相比增加：${parts}。`,
  part: (model, service, more) => `${more} ${service} 使用 ${model}`,
  advice: (word) =>
    `请确认这些用量是否符合预期。如果符合，\`tollkeeper alerts expect --from DATE --reason TEXT\` 会将这些日期排除在常态之外。\`tollkeeper alerts mute ${word} --until DATE\` 停止通知。`,
  noFurther: '在连续一天没有异常支出之前，不再就此发送邮件。',
  recoveredTitle: (of) => `${scope(of)} 的支出已恢复正常`,
  recovered: (of) => `${scope(of)} 最近 24 小时没有异常支出。`,
  measured: (weeks, alarms) => `误报频率：在模拟账户的 ${weeks} 周内有 ${alarms} 封无故邮件。`,
  currentState: '`tollkeeper alerts` 显示当前状态。',
};
