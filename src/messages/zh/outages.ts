import { toSeconds } from '../../core/index.ts';
import type { OutageTexts } from '../outage-texts.ts';
import { day, moment } from './dates.ts';
import { chineseRunMessages } from './run-notes.ts';

const formOf = (form: string): string => (form === 'units' ? '整数单位' : '货币');

const dimensions: Readonly<Record<string, string>> = { model: '模型', key: '密钥' };
const askOperator = '请向网关运营方确认这一变化是否有意为之。';

const period: OutageTexts['period'] = ({ start, end }, zone) =>
  `${moment(start, zone)} 至 ${moment(end, zone)}`;

export const chineseOutages: OutageTexts = {
  at: (at, zone) => moment(toSeconds(at), zone),
  range: period,
  period,
  job: {
    failed: (job) => `${job} 失败`,
    suspended: (job) => `${job} 已暂停`,
    missed: (job) => `${job} 错过了一次计划运行`,
    late: (job) => `${job} 运行延迟`,
    recovered: (job) => `${job} 已恢复`,
  },
  jobs: {
    failed: (count) => `失败的作业 ${count} 个`,
    suspended: (count) => `暂停的作业 ${count} 个`,
    missed: (count) => `错过计划运行的作业 ${count} 个`,
    late: (count) => `运行延迟的作业 ${count} 个`,
    recovered: (count) => `已恢复的作业 ${count} 个`,
  },
  manualRun: (command) => `\`${command}\` 手动运行这一次`,
  details: (job) => `\`tollkeeper runs ${job}\` 显示每次尝试；\`tollkeeper status\` 显示所有作业的状态。`,
  noFurther: (job, isMailed) =>
    `${job} 恢复之前，不再就其发送邮件。${isMailed ? '恢复时会发送一封邮件。' : ''}`,
  closingOfMany: [
    '`tollkeeper status` 和 `tollkeeper runs JOB` 显示详情。',
    '作业恢复之前，不再就其故障发送邮件。',
  ],
  adminKey: {
    title: (account, days) => `账户 ${account} 的 Admin Key 已使用 ${days} 天`,
    what: (issued, due) => `该密钥于 ${day(issued)} 签发，应于 ${day(due)} 更换。`,
    toDo: '请在网关签发新的 Admin Key，存放到账户的 admin_key 所指的位置，将 admin_key_issued 设为其签发日期，然后吊销旧密钥。Tollkeeper 无法轮换它：网关不允许用 Admin Key 更改 Admin Key。',
    closing: '下一次提醒将在 30 天后发送。',
  },
  config: {
    title: (faults) => `新配置有 ${faults} 处错误；原配置继续生效`,
    closing: (at) => [
      `发现时间：${at}。作业继续使用原配置运行。新配置修正后将自动生效。`,
      '`tollkeeper check` 检查配置。',
    ],
  },
  gap: {
    title: (account, isShort) =>
      isShort ? `账户 ${account} 的调用日志缺少费用记录` : `账户 ${account} 的调用日志未能与网关核对一致`,
    heading: ({ source, verdict }) =>
      `${chineseRunMessages.sources[source]}：${verdict === 'truncated' ? '日志不完整' : '原因不明'}`,
    found: ({ gap, unit, verdict }) => {
      if (gap === 'unknown')
        return verdict === 'truncated'
          ? '日志缺少费用，具体金额未知。'
          : '存在差异，原因不明，差额未知：尚无法确定该来源是否扣除退款。';
      const amount = `${gap.replace('-', '')} ${unit}`;
      return verdict === 'truncated' ? `日志缺少 ${amount}。` : `相差 ${amount}，原因不明。`;
    },
    short: (compare, again) =>
      `缺少的行已重新请求，也按更小的窗口请求过（max_requests）；已结束的日期会自动重新拉取（revisit）。${again === undefined ? '' : `\`${again}\` 立即重新拉取。`}\`${compare}\` 显示仍缺少的部分。`,
    differs: (compare) =>
      `\`${compare}\` 按模型和密钥将每个来源与日志核对。如果差异仍然原因不明，请联系网关运营方。`,
    closing: [
      '网关返回的行已保存。涵盖该周期的报告会标明未核对一致。',
      '同一来源的差异持续存在期间，不再发送邮件。',
    ],
  },
  late: {
    title: (account, range) => `账户 ${account} 的调用日志落后于网关：${range}`,
    what: (sum, pulls) => `网关的合计为 ${sum}；在不同日期拉取 ${pulls} 次后，日志的合计仍然较少。`,
    toDo: '请用该时间范围运行 `tollkeeper reconcile`，并向服务商索取缺少的行。',
    closing: '该时间范围在网关的合计发生变化时会重新拉取。不再就该合计发送邮件。',
  },
  learned: {
    title: (account, changes) => `账户 ${account} 的调用日志有变化：${changes}`,
    counts: {
      'column-appeared': (count) => `新增 ${count} 列`,
      'column-gone': (count) => `移除 ${count} 列`,
      'amounts-changed': (count) => `金额格式变化 ${count} 次`,
      'usage-unit': (count) => `用量导出变化 ${count} 次`,
      'kind-unknown': (count) => `未知行类型 ${count} 种`,
      'rollup-differs': (count) => `汇总表修复 ${count} 次`,
    },
    changes: {
      'column-appeared': ({ name, role }) => ({
        heading: `新列 ${name}`,
        seen:
          role === '' ? '该列以文本形式随每行保存，不计入任何合计。' : `该列被识别为 ${role}，并按此计算。`,
        toDo: '无需处理。报告只显示其定义的列。',
      }),
      'column-gone': ({ name, role }) => ({
        heading: `列 ${name} 已被移除`,
        seen:
          role === ''
            ? '网关不再导出该列。已有的值予以保留。'
            : `网关不再导出被识别为 ${role} 的列。此后其值为未知，而不是零。`,
        toDo: askOperator,
      }),
      'amounts-changed': ({ name, from, form: how }, at) => ({
        heading: `金额现在以${formOf(name)}表示`,
        seen: `相同模型的费用表明，从 ${at(from)} 的窗口开始，网关以${formOf(name)}导出金额。${
          how === 'stored'
            ? '这些金额不经换算直接保存，与上一次变化之前相同。'
            : '这些金额会换算成此前的形式，使合计保持正确。'
        }`,
        toDo: `${askOperator}如需自行确定，请设置账户的 gateway.amounts。`,
      }),
      'usage-unit': ({ name, from, form }, at) => {
        const source = `按${dimensions[name] ?? ` ${name} `}的用量导出`;
        return form === 'stored'
          ? {
              heading: `${source}恢复为原来的单位`,
              seen: `从 ${at(from)} 开始，其数值不经换算直接保存。`,
              toDo: '无需处理。',
            }
          : {
              heading: `${source}现在以${formOf(form)}表示`,
              seen: `从 ${at(from)} 开始，其数值与此前相差整数单位与货币之间的比率。这些数值会换算成已保存数值的单位。`,
              toDo: askOperator,
            };
      },
      'kind-unknown': ({ name, evidence }) => ({
        heading: `未知的行类型 ${name}`,
        seen: `依据：“${evidence}”。这些行单独列出，既不计为支出，也不计为退款。`,
        toDo: '请向网关运营方确认这些行的含义。如果它们是费用，则报告的支出偏低。',
      }),
      'rollup-differs': ({ name: zone, days, first }) => ({
        heading: '汇总表曾与调用日志不一致',
        seen: `有 ${days.toLocaleString('zh')} 天的合计（第一天为 ${day(first)}，${zone}）与相应的调用不一致，现已根据调用重新生成。`,
        toDo: '自上次核对以来，涉及这些日期的报告和告警可能有误：请用 `tollkeeper run` 重新生成。请查明是什么更改了数据库：部分恢复的副本、手工编辑的文件，或有故障的磁盘。',
      }),
    },
    closing: [
      '拉取照常进行。`tollkeeper doctor` 显示关于网关的全部已知情况及依据。',
      '不再就这些变化发送邮件。',
    ],
  },
};
