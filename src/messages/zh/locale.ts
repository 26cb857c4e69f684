import type { Locale, Power } from '../locale.ts';
import { longDay, moment, range, shortDay } from './dates.ts';
import { adviceFrom } from '../fault-advice.ts';
import { chineseAdvice } from './advice.ts';
import { chineseKeys } from './keys.ts';
import { chineseMails } from './mails.ts';
import { chineseOutages } from './outages.ts';
import { chinesePlans } from './plans.ts';

const symbols: Readonly<Record<string, string>> = { USD: 'US$', CNY: '¥', EUR: '€', GBP: '£' };

const powers: readonly Power[] = [
  { exponent: 4, mark: '万' },
  { exponent: 8, mark: '亿' },
  { exponent: 12, mark: '万亿' },
];

/** Simplified Chinese. */
export const chinese: Locale = {
  tag: 'zh',
  lang: 'zh-CN',
  decimalMark: '.',
  groupMark: ',',
  amount: (currency, digits, negative) =>
    `${negative ? '-' : ''}${symbols[currency] ?? `${currency} `}${digits}`,
  percent: (digits) => `${digits}%`,
  powers,
  shortDay,
  longDay,
  range,
  moment,
  list: (items) => items.join('、'),
  sentences: (all) => all.join(''),
  heading: (title) => `【${title}】`,
  labelled: (label, value) => `${label}：${value}`,
  // The font of the pictures has no Chinese: dates follow ISO 8601, and numbers are not abbreviated.
  chart: { day: (date) => date.slice(5), powers: [] },
  mails: chineseMails,
  outages: chineseOutages,
  keys: chineseKeys,
  plans: chinesePlans,
  advice: adviceFrom(chineseAdvice),
  messages: {
    total: '合计',
    spend: '支出',
    other: '其他',
    otherRows: (count) => `其余 ${count} 行`,
    noData: '无数据',
    noDataYet: '尚无数据',
    amountsUnknown: '金额未知',
    incomplete: '不完整',
    isNew: '新增',
    unnamed: '（未命名）',
    unassigned: '未分配',
    units: { day: ' 天', hour: ' 小时', minute: ' 分钟', second: ' 秒' },
    moreLooks: (count) => `另有 ${count} 项。`,
    wholeAccount: (good) =>
      good ? '整个账户已与网关的统计核对一致。' : '整个账户尚未与网关的统计核对一致。',
    up: (percent) => `增长 ${percent}`,
    down: (percent) => `下降 ${percent}`,
    unchanged: '持平',
    versus: (amount, period) => `对比 ${amount}（${period}）`,
    averageOf: (days, period, left) =>
      left === '' ? `${period} 的日均值` : `${period} 中 ${days} 天的日均值，不含 ${left}（数据不完整）`,
    notComparedBefore: (period, day) => `未与 ${period} 比较：${day} 之前没有数据。`,
    notCompared: {
      incomplete: '未与上一周期比较：本周期的数据不完整。',
      'nothing-before': '上一周期没有支出，无法比较。',
    },
    cause: ({ name, rise, most, amount, percent }) =>
      `${rise ? '增长' : '下降'}${most ? '主要来自' : '中占比最大的是'} ${name}：${amount}${percent === '' ? '' : `（${percent}）`}。`,
    budgets: {
      budget: '预算',
      spend: '费用 / 预算',
      used: '已用',
      forecast: '预测',
      forecastError: '预测 ± 平均误差',
      accuracy: (months, mean, most) => `最近 ${months} 个月在同一时点的预测平均偏差 ${mean}，最大 ${most}。`,
      tooEarly: '为时过早',
      unknown: {
        'no-data': '无数据',
        stale: '数据延迟',
        unit: '单位未证实',
        'no-calls': '本周期无调用',
        'starts-late': '数据起始较晚',
        'unreadable-rows': '无法读取',
        'missing-rows': '缺少费用记录',
      },
      spent: (spend, budget) => `${spend} / ${budget}`,
      periods: { day: '日', week: '周', month: '月', quarter: '季度' },
      ofPeriod: (name, period) => `${name}（${period}）`,
    },
    changes: {
      factors: {
        volume: { up: '调用增加', down: '调用减少' },
        mix: { up: '转向更贵的模型和密钥', down: '转向更便宜的模型和密钥' },
        length: { up: '单次调用变长', down: '单次调用变短' },
        cache: { up: '缓存输入占比下降', down: '缓存输入占比上升' },
        price: { up: '单价上升', down: '单价下降' },
        'unstated-tokens': {
          up: '单次调用变长或变贵（token 未给出）',
          down: '单次调用变短或变便宜（token 未给出）',
        },
        'fixed-price': { up: '按次计费支出增加', down: '按次计费支出减少' },
        refunds: { up: '退款减少', down: '退款增加' },
      },
      cause: '原因',
      contributors: '影响最大',
      amount: '金额',
      total: '变化合计',
      nothing: '没有变化。',
      main: (isAll, sentence) => `${isAll ? '原因' : '主要原因'}：${sentence}`,
      contributor: (model, key, state, amount) => {
        const ofKey = key === '' ? '无密钥' : `密钥 ${key}`;
        const who = model === undefined ? ofKey : key === undefined ? model : `${model}（${ofKey}）`;
        const states = {
          new: '新增',
          gone: '已停用',
          'larger-share': '占比上升',
          'smaller-share': '占比下降',
        };
        return `${who}${state === undefined ? '' : `（${states[state]}）`}${amount === undefined ? '' : `，${amount}`}`;
      },
      spikeEnded: (who, day, sentence) => `${who} 在 ${day} 的突增已结束（${sentence.replace(/。$/, '')}）。`,
      sentence: ({ cause, amount, partOf, offset, who }) => {
        const size =
          partOf === undefined
            ? amount
            : `占${partOf.isRise ? '增长' : '下降'} ${partOf.change} 中的 ${partOf.part}`;
        const other = offset === undefined ? '' : `（其他原因抵消 ${offset}）`;
        return `${cause}，${size}${other}${who === undefined ? '' : `；影响最大：${who}`}。`;
      },
    },
    reconciled: '已与网关核对一致',
    notReconciled: '未能与网关核对一致',
    spike: (day, amount, times) => `${day}支出 ${amount}，是每日中位数的 ${times} 倍。`,
    missingDays: (days) => `${days}没有数据：是缺失，不是零。`,
    partialDay: (day, moment) => `${day}的数据不完整：仅到 ${moment}。`,
    uncounted: (kind, rows, amount) => `未知类型“${kind}”共 ${rows} 行，金额 ${amount}，未计入支出。`,
    reportWarnings: {
      limit: (table, sql) => ({
        message: `“${table}”的合计缺少部分行：${sql} 用 LIMIT 截断了结果。`,
        advice: '请删除 LIMIT，改用 report.yaml 中该表的 `limit:`：合计即为全部行之和。',
      }),
      ratio: (table, column, sql) => ({
        message: `“${table}”的合计把比率相加：${sql} 中的“${column}”是商或平均值。`,
        advice: `请查询两个原始数值，并以 \`quotient: { of: …, by: … }\` 代替 \`name: ${column}\`，或设置 \`total: false\`。`,
      }),
      unknownPeriod: (period, sql) => ({
        message: `${sql} 按不存在的期间“${period}”筛选，没有任何行符合。`,
        advice:
          "请使用 'current' 或 'comparison'（在 report.yaml 写明 `periods:` 后也可用 'month' 和 'history'）；具体日期由任务的 `period` 或 `--period` 决定。",
      }),
      undeclaredPeriod: (period, sql) => ({
        message: `${sql} 按期间“${period}”筛选，而报告没有这一期间，没有任何行符合。`,
        advice: `请在 report.yaml 的 \`periods:\` 中加入“${period}”。`,
      }),
      mixedPeriods: (sql) => ({
        message: `${sql} 把本期与对比期相加。`,
        advice: "请加上 WHERE period = 'current'，或在每个合计后加上 FILTER (period = 'current')。",
      }),
      sumDiffers: (table, sum, label, headline, sql) => ({
        message: `“${table}”的合计 ${sum} 与“${label}”的 ${headline} 不一致，而两者统计的是相同的行。`,
        advice: `请检查 ${sql} 的连接与条件：JOIN 匹配到多行或没有匹配时，调用会被重复计算或漏算。若有意略去部分行，请设置 \`total: false\`。`,
      }),
      noRows: (title, sql) => ({
        message: `本期有调用，但“${title}”没有任何行。`,
        advice: `请检查 ${sql} 中的条件；若没有行也属正常，请设置 \`optional: true\`。`,
      }),
    },
    doubtfulAmounts: {
      form: (currency) =>
        `目前无法证明网关的金额是以 ${currency} 还是以整数单位记录，因此本报告不含金额。如需确定，请将账户的 gateway.amounts 设为 units 或 currency。`,
      unit: (currency) =>
        `网关以整数单位记录金额，即美元的若干分之一。没有经证实的 ${currency} 汇率，因此金额以 USD 表示，也不与以 ${currency} 设定的预算比较。如果 1 ${currency} 等于固定数量的单位，请设置账户的 gateway.units_per_currency。`,
    },
    seal: {
      title: '签名',
      closed: (sha256) => [
        `SHA-256 ${sha256}`,
        '这是文件 …-signed.json 的校验值，该文件包含本月每个数字的全部位数。同时持有两者即可确认数字此后未被改动；它不能证明由谁制作，也不能证明网关自身的日志正确。用相同数据再次生成，校验值相同。',
      ],
      draft: (reasons) => `草稿，未签名：${reasons.join('；')}。`,
      allowed: (verdict) => `按任务设置（allow: unreconciled）在未对账的情况下结账。${verdict}`,
      isDraft: '草稿',
      isClosed: '已结',
      reasons: {
        'not-a-month': '周期不是一个完整的自然月',
        'not-over': '周期尚未结束',
        'not-covered': '数据没有覆盖整个周期',
        'not-complete': '如文中所述，数字不完整或存疑',
        'not-reconciled': '如文中所述，合计尚未与网关对账一致',
      },
    },
    reportMail: {
      filesElsewhere: (names, size, where) =>
        `本报告的文件（${names}；${size}）过大，无法作为附件发送。文件保存在 ${where}`,
      whole: (place) =>
        place === undefined ? '全部表格和方法说明见附件中的报告。' : `全部表格和方法说明：${place}`,
      sentBy: (job, setting) => `由作业 ${job} 发送；收件人在 ${setting} 中设置。`,
      testMark: '[测试]',
      sentByHand: '测试邮件，由 tollkeeper report --mail-to 发送，并非由作业发送。',
    },
    pdf: {
      page: (at, of) => `第 ${at} 页，共 ${of} 页`,
      missing: (points) => `本文件的字体缺少以下字符，以 □ 显示：${points}。`,
    },
    barIsDays: (days) => `每根柱代表 ${days} 天`,
    nothingBooked: '本周期没有费用记录。',
    shortened: '为控制邮件大小，表格已缩短；省略的行已合并为一行合计。',
    chartAlt: ({ title, period, total, highest, lowest, series, missing }) =>
      [
        total === '' ? `${title}，${period}。` : `${title}，${period}：合计 ${total}。`,
        highest === '' ? '' : `最高 ${highest}，最低 ${lowest}。`,
        series === '' ? '' : `${series}。`,
        missing === '' ? '' : `无数据：${missing}。`,
      ].join(''),
    footer: {
      watermark: (moment) => `数据截至 ${moment}。`,
      noWatermark: '尚未拉取任何数据。',
      since: (moment) => `数据始于 ${moment}。`,
      reconciliation: (text) => `核对：${text}`,
      noReconciliation: '本次运行未与网关的统计核对。',
      exact: (label, exact, currency) => `${label}（精确值）：${exact} ${currency}。`,
      units: (currency, zone, from, to) =>
        `金额单位为 ${currency}；按 ${zone} 时区划分日期（UTC ${from} 至 ${to}）。`,
      rounding:
        '合计与差额由精确金额得出。显示时采用四舍六入五成双：金额保留 2 位小数，低于 0.10 时保留两位有效数字；token 数保留三位有效数字；占比相加为 100%。因此，差额可能与所示金额直接相减的结果略有出入。',
      run: (id) => `运行 ${id}`,
    },
  },
};
