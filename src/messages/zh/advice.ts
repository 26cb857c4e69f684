import type { FaultAdvice } from '../fault-advice.ts';

export const chineseAdvice: FaultAdvice = {
  'report-unknown': '请使用 reports/ 下含有 report.yaml 的文件夹的名称。',
  'gateway-unreachable': '请检查 base_url、DNS、代理设置和防火墙。',
  'gateway-certificate': '请在账户的 tls.ca 中添加证书颁发机构，或修正网关的证书；证书校验无法关闭。',
  'gateway-timeout': '网关未及时响应：请缩小窗口或延长超时时间。',
  'gateway-connection-lost': '连接中断，未保存任何数据：请重新运行。',
  'gateway-redirect': '请将 base_url 设为最终地址；Admin Key 不会发送到其他地址。',
  'gateway-key-refused': '请检查 admin_key：它以 sk-admin- 开头，且未被吊销。',
  'gateway-scope-missing': '请签发具有所述权限的 Admin Key。',
  'gateway-not-found': '请检查 base_url 是否为不带路径的网关地址。',
  'gateway-rate-limited': '请稍候，或减少同时运行的作业。',
  'gateway-refused': '引用的消息来自网关：请检查其中提到的请求。',
  'gateway-server-error': '网关发生内部错误：请稍后重试。',
  'gateway-http-error': '请检查 base_url 和网关的日志。',
  'gateway-answer-unreadable': '响应不符合网关的约定：请检查 base_url，或反馈该请求及其响应。',
  'gateway-answer-too-large': '响应超出大小限制：请检查 base_url。',
  'gateway-keys-unsettled': '请在创建和删除的密钥减少后重试。',
  'model-key-refused': '请使用未过期、配额未用尽且未删除的 API 密钥；新密钥可能需要几分钟才会生效。',
  'model-unavailable': '请使用该账户可调用的模型，或咨询网关运营方。',
  'model-call-refused': '引用的消息来自网关：请更正其中提到的输入。',
  'key-spec-invalid': '未发送任何内容：请更正密钥的名称或过期时间。',
  'key-verify-refused': '网关不接受新密钥；旧密钥未作更改。引用的消息来自网关。',
  'key-verify-unclear': '新密钥通过验证之前，旧密钥保持不变。',
  'rotation-blocked': '请执行消息中所述的下一步。',
  'audit-damaged':
    '验证通过之前，密钥操作处于暂停状态：`tollkeeper keys audit --verify` 显示第一个无效行。请将审计文件移到别处并保留：执行下一次密钥操作、运行 `tollkeeper status`，或守护进程运行期间的五分钟之内，会根据数据库重新写入该文件。如果数据库中的链也已损坏，请停止 Tollkeeper，并从同一备份恢复 audit/keys.jsonl 和数据库。',
  'key-update-harmed':
    '请在网关控制台检查该密钥并更正所述字段；运行 `tollkeeper doctor --probe-keys` 可重新确定网关如何更新密钥。',
  'key-update-ineffective': '网关接受了更新，但密钥没有变化：请向网关运营方确认该 Admin Key 可以更改什么。',
  'key-update-unsettled': '在写入其他内容之前，会重新读取该密钥。',
  'key-unit-unknown': '请运行 `tollkeeper doctor --probe-keys`，以确定网关的 remain_quota 使用的单位。',
  'key-quota-inexact': '未发送任何内容：请使用网关能够精确存储的金额。',
  'export-not-csv': '网关返回的不是 CSV；其消息已引用。',
  'export-truncated': '导出提前结束，未保存任何数据：请重新运行。',
  'export-emptied': '未删除任何数据：请重新运行；如果仍然如此，请向网关运营方确认这些调用的去向。',
  'export-column-missing': '导出缺少必需的列；如果该列使用其他名称，请在账户的 gateway.columns 中对应。',
  'export-row-invalid': '所述行与表头不符；该窗口未保存任何数据。',
  'export-amount-inexact':
    '未舍入也未保存任何数据：数据库保留 12 位小数。如果网关使用浮点数，请设置账户的 gateway.round_amounts: 12。',
  'export-amounts-changed':
    '金额的形式已变化：请将账户的 gateway.amounts 设为 currency 或 units，并重新拉取受影响的时间范围。',
  'export-currency-changed': '一个账户只有一种货币：请为另一种货币添加单独的账户。',
  'export-timestamp-unreadable':
    '请将账户的 gateway.timestamps 设为导出所用的形式；日期只接受年份在前的写法（2026-11-20 或 2026/11/20）。',
  'export-capped': '即使只有一秒，网关也会截断导出：请联系网关运营方提高上限。',
  'usage-tail-cut': '网关只返回了最大的若干条目：请提高 top_n。',
  'usage-unit-changed':
    '请向网关运营方确认用量导出使用的单位；如需保留新单位，请将作业的整个时间范围放在一个窗口中运行。',
  'usage-layout-unknown': '用量导出的结构未知：请保留所述文件并反馈。',
  'disk-full': '请在所述卷上释放空间；未保存任何不完整的数据。',
  'path-unwritable': '请为运行 Tollkeeper 的用户授予该路径的写权限。',
  'backup-foreign': '请选择空文件夹，或由 `tollkeeper backup` 写入的文件夹。',
  'backup-inside': '请选择数据目录以外、位于其他卷上的文件夹。',
  'backup-missing': '请指定由 `tollkeeper backup` 写入且可读取的文件夹或文件。',
  'backup-newer': '请使用写入该备份的 Tollkeeper 版本或更高版本。',
  'backup-damaged':
    '请使用另一个备份；如果该备份是复制而来，请重新复制。然后检查该磁盘并创建新备份：新备份会替换此后未变化的损坏部分。',
  'backup-identity': '请使用该备份加密时所用的收件人之一的身份文件。',
  'backup-source-changed': 'Tollkeeper 之外的程序正在更改数据目录：请重新运行备份。',
  'memory-too-small': '请提高容器的内存限制，或设置 warehouse.memory_limit 自行限制数据库的内存。',
  'volume-lost': '请重新启动守护进程：它会打开当前存在的数据库；丢失之后保存的内容可能缺失。',
  'warehouse-failed': '请查看原因；这一步未保存任何数据。',
  'lease-lost': '无需处理：接管该账户的副本会继续运行其作业。',
  'database-unreachable':
    '请检查 PostgreSQL 是否运行、数据库 URL 中的地址、DNS 和防火墙；未提交的内容没有保存。',
  'database-refused': '请在服务器或数据库 URL 中更正消息所述的问题。',
  'archive-damaged':
    '请从备份恢复所述文件；如果没有备份，而网关仍保留该月数据，请将整个月放在一个窗口中重新拉取（用 `tollkeeper run` 运行拉取作业，--from 和 --to 为该月的起止，UTC）。',
  'archive-unverified':
    '写入的文件与数据库不一致，因此未从数据库删除任何数据；请检查 warehouse.archive.path 所在的磁盘，并重新运行作业。',
  'report-invalid': '请更正报告文件夹中所述的位置。',
  'report-query-failed': '请更正所述的 SQL；其中只能有一条 SELECT。',
  'report-damaged': '请从备份恢复所述文件夹，或将其移到别处；之后会重新生成该次计划的报告。',
  'mail-not-configured': '请在 tollkeeper.yaml 中设置 mail.smtp 和 mail.from。',
  'sink-failed': '旧密钥未作更改，可正常使用。该步骤会按计划重试；`tollkeeper keys` 显示其状态。',
  'sink-refused': '请修正存放位置或其在 deliver 中的条目；在此之前旧密钥未作更改，可正常使用。',
  'command-failed': '请检查该命令的输出，并手动运行。',
  'data-late':
    '请用 `tollkeeper runs` 查看 needs 中的作业为何没有提供数据；needs_deadline 和 when_late 控制等待的时间。',
  'process-ended':
    '请在其日志中查看进程结束的原因：有多个副本时，可能已由另一个副本接管。如果因内存不足被终止，请提高容器的内存限制，或缩小作业的窗口并移除 warehouse.memory_limit。',
  'run-stopped': '无需处理：下一个进程会立即重新运行。',
  'job-suspended':
    '请查明进程结束的原因（日志、容器的内存限制、内核日志；有多个副本时，是否已由另一个副本接管），排除后手动运行该作业：运行成功即解除暂停。',
  aborted: '请重新执行该命令；未完成的工作没有保存。',
  'run-timeout': '请延长作业的超时时间，或检查其运行为何耗时过长。',
};
