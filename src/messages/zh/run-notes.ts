import type { RunMessages } from '../run-notes.ts';

export const chineseRunMessages: RunMessages = {
  needed: (job, reaches, isSuspended) =>
    `${job} ${reaches === undefined ? '尚无数据' : `的数据截至 ${reaches}`}${isSuspended ? '，且该作业已暂停' : ''}`,
  late: (needed, through, watermark) =>
    `数据延迟：${needed.join('；')}；本次运行需要截至 ${through} 的数据。${watermark === undefined ? '尚未拉取任何调用日志。' : `调用日志截至 ${watermark}。`}`,
  unread: (rows) => `调用日志中有 ${rows} 行无法读取，未计入任何数字。`,
  afterWatermark: (calls) =>
    `数字中包含数据截止时间之后的 ${calls} 次调用；该时段可能还有其他调用，将重新拉取。`,
  unclear: (rows) =>
    `调用次数中包含 ${rows} 行既无费用也无 token 的记录，可能是错误记录：日志导出中没有任何列说明这些行的类型。`,
  unmatched: (names, pattern) =>
    names === 'key' || names === 'model'
      ? `没有${names === 'key' ? '密钥' : '模型'}匹配“${pattern}”`
      : `没有密钥带有标签 ${names}“${pattern}”`,
  unmatchedNote: (clause, similar) =>
    `${clause}。${similar.length === 0 ? '' : `相近的名称：${similar.join('、')}。`}`,
  notCompared: (reason) => `未与网关核对：${reason}`,
  part: (from, to) => `仅核对了日志覆盖的部分：${from} 至 ${to}。`,
  sources: {
    statistics: '网关自身的统计',
    'usage by model': '按模型的用量导出',
    'usage by key': '按密钥的用量导出',
    used_quota: 'used_quota 的变化',
    balance: '余额的变化',
  },
  ofEntry: (source, entry) => `${source}（${entry === '' ? '无名称的条目' : entry}）`,
  unknownGap: '差额大小未知：尚无法确定该来源是否扣除退款。',
  verdicts: {
    equal: ({ theirs, reading, unit }) => `日志合计与${theirs}完全一致：${reading} ${unit}。`,
    rounding: ({ theirs, reading, unit, gap }) =>
      `日志合计与${theirs}在其舍入精度内一致：${reading} ${unit}，相差 ${gap}。`,
    refunds: ({ theirs, reading, unit }) =>
      `日志中的消费与${theirs}一致：${reading} ${unit}；对方未扣除退款。`,
    currency: ({ theirs, reading, ours, unit }) =>
      `换算后日志合计与${theirs}一致：对方 ${reading}，本方 ${ours}（${unit}）。`,
    'late data': ({ theirs, reading, ours, unit, gap }) =>
      `${theirs}为 ${reading} ${unit}，日志合计为 ${ours}：${gap === '' ? '差额' : `相差的 ${gap} `}是迟到的数据。`,
    truncated: ({ theirs, reading, ours, unit, gap }) =>
      `日志不完整：${theirs}为 ${reading} ${unit}，日志合计为 ${ours}，缺少${gap === '' ? '部分费用' : ` ${gap}`}。`,
    unexplained: ({ theirs, reading, ours, unit, gap }) =>
      `${theirs}为 ${reading} ${unit}，日志合计为 ${ours}：${gap === '' ? '差额' : `相差的 ${gap} `}原因不明。`,
  },
};
