import type { BudgetTexts } from './texts.ts';

const scopes = { team: '团队', service: '服务', keys: '密钥', model: '模型' };

export const chinese: BudgetTexts = {
  scope: (scope) => {
    if (scope.kind === 'account') return '整个账户';
    return `${scope.kind === 'tag' ? scope.tag : scopes[scope.kind]} ${scope.name}`;
  },
  ofAccount: (scope, account) => `${scope}（账户 ${account}）`,
  period: (range, zone) => `${range}（${zone}）`,
  level: (on, label) => `${on === 'actual' ? '支出' : '预测'} ${label}`,
  moreThanNothing: '0% 以上',
  share: ({ amount, percent, budget, atLeast }) =>
    `${atLeast ? '至少 ' : ''}${amount}（${budget} 的 ${percent}）`,
  title: (budget, on, share) => `预算 ${budget}：${on === 'forecast' ? '预测 ' : ''}${share}`,
  exceeded: ({ on, share, over, threshold }) =>
    `${on === 'actual' ? '支出' : '本周期预测支出'}为 ${share}，${over === undefined ? `已达到阈值 ${threshold}` : `超出阈值 ${threshold}，超出额为 ${over}`}。`,
  also: (on, threshold, isShare) =>
    `${isShare ? '预算的 ' : ''}${threshold}（${on === 'actual' ? '支出' : '预测'}）`,
  outlook: {
    ended: '周期已结束。',
    tooEarly: '尚无预测：调用日志不足七天。',
    none: '现有数据不足以预测。',
    expected: ({ method, days, amount, low, high, range, end, difference, isOver }) =>
      `${method === 'pace' ? `按最近 ${days} 天的日均支出` : '按星期规律、水平和趋势'}，到 ${end} 支出将达到 ${amount}（${range === 'interval' ? '80% 的概率在 ' : ''}${low} 至 ${high}${range === 'interval' ? ' 之间' : ''}），${difference === undefined ? '正好等于预算' : `${isOver ? '超出' : '低于'}预算 ${difference}`}。`,
  },
  operatorAdvice: (word) =>
    `请查明此处所列模型和服务的使用者，或提高预算。\`tollkeeper alerts mute ${word} --until DATE\` 停止通知，\`tollkeeper alerts ack ${word}\` 记录已查看。`,
  ownerAdvice: (operators) =>
    `这些用量是否符合预期？${operators === '' ? '' : `如需更改预算或收件人，请联系 ${operators}。`}`,
  noFurther: '就这些阈值而言，仅当数值回落到阈值以下时才会再次发送邮件。',
  allBudgets: '`tollkeeper alerts` 显示全部预算。',
  recovered: {
    title: (budget, share) => `预算 ${budget} 已回落到阈值以下${share === undefined ? '' : `：${share}`}`,
    what: (levels, on) =>
      `不再达到：${levels}。${on === 'actual' ? '网关更正或退还了费用，或者预算已提高。' : '预测已下降，支出没有达到阈值。'}`,
    now: (share) => `支出为 ${share}。`,
  },
  models: '模型',
  services: '服务',
  others: (count) => `其余 ${count} 项`,
  unknown: {
    title: (budgets) => `${budgets} 个预算的状态未知`,
    reasons: {
      'no-data': () => ({
        what: '尚未拉取任何调用日志',
        toDo: '请运行类型为 pull-logs 的作业；`tollkeeper status` 显示其最近一次运行。',
      }),
      stale: ({ reaches, needed }, { at }) => ({
        what: `调用日志截至 ${at(reaches)}，而评估需要截至 ${at(needed)} 的数据`,
        toDo: '请检查调用日志延迟的原因：`tollkeeper status` 显示类型为 pull-logs 的作业的最近一次运行。',
      }),
      unit: (_, { account }) => ({
        what: '金额的单位未经证实',
        toDo: `请将账户 ${account} 的 gateway.amounts 设为 currency 或 units，或等待数据证实其单位。`,
      }),
      'no-calls': ({ nearest }, { scope }) => ({
        what: `调用日志中没有属于“${scope}”的调用`,
        toDo:
          nearest === undefined
            ? '请检查预算中的名称：`tollkeeper report spend-summary` 按网关使用的名称列出模型和密钥。'
            : `请检查预算中的名称。是否指 ${nearest}？`,
      }),
      'starts-late': ({ starts }, { at }) => ({
        what: `调用日志始于 ${at(starts)}，晚于周期的开始；实际支出可能更高`,
        toDo: '请将类型为 pull-logs 的作业的 since 设为更早的日期。',
      }),
      'unreadable-rows': ({ rows }) => ({
        what: `本周期有 ${rows.toLocaleString('zh')} 行无法读取；实际支出可能更高`,
        toDo: '`tollkeeper doctor` 显示这些行及无法读取的原因。',
      }),
      'missing-rows': () => ({
        what: '调用日志缺少费用记录；实际支出可能更高',
        toDo: '`tollkeeper reconcile` 将每个来源与调用日志核对。',
      }),
    },
    sentence: (what) => `${what}。`,
    known: ({ amount, through, percent, budget }) =>
      `截至 ${through}，支出至少为 ${amount}，即预算 ${budget} 的 ${percent}。`,
    closing: '在状态确定之前不评估阈值，也不再发送邮件。',
    recoveredTitle: '所有预算的状态已重新确定',
    recovered: (account) => `账户 ${account} 的所有预算已恢复评估。`,
  },
};
