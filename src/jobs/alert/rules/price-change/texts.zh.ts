import type { PriceTexts } from './texts.ts';

const of = (model: string, key: string | undefined): string =>
  key === undefined ? model : `${model}（密钥 ${key}）`;

export const chinese: PriceTexts = {
  title: {
    changed: (model) => `${model} 的价格已变化`,
    unbilled: (model) => `${model} 的部分 Token 不再计费`,
    listed: (model) => `${model} 的价格与配置不符`,
    cache: (model) => `${model} 的缓存输入与其他输入同价`,
  },
  price: ({ name, before, after, change }) =>
    `\`${name}\` ${before} → ${after}${change === undefined ? '' : `（${change}）`}`,
  what: {
    changed: (model, key, prices) => `${of(model, key)} 的调用按不同的每百万 Token 价格计费：${prices}。`,
    unbilled: (model, key, prices) =>
      `${of(model, key)} 的部分 Token 原本收费，现在免费；每百万价格：${prices}。网关日后可能补收。`,
    listed: (model, key, prices) =>
      `${of(model, key)} 的调用所用的每百万 Token 价格与 \`prices\` 中的不同：${prices}。`,
    cache: (model, key, prices) =>
      `${of(model, key)} 的每百万缓存 Token 不比其他输入便宜：${prices}（由未缓存到缓存）。`,
  },
  month: (amount, isMore) => `按当前用量，30 天${isMore ? '多' : '少'} ${amount}。`,
  advice: {
    changed: '请向网关运营方确认是否有意调整；如果是，请更新 `prices`。',
    unbilled: '请询问网关运营方：日后更正这些费用会改变已结账的月份。',
    listed: '请更正 `prices`，或询问网关运营方为何以其他价格计费。',
    cache: '请询问网关运营方是否让利缓存输入的折扣。',
  },
  noFurther: (word) => `不再就此发送邮件。\`tollkeeper alerts mute ${word} --until DATE\` 停止该模型的通知。`,
  recoveredTitle: (model) => `${model} 的价格已恢复如预期`,
  recovered: (model) => `${model} 的调用已不再出现此情况。`,
  measured: (months, alarms) => `误报频率：在模拟模型的 ${months} 个月内有 ${alarms} 次无变化的告警。`,
  currentState: '`tollkeeper alerts` 显示当前状态。',
};
