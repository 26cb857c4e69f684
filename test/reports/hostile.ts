import { ordinaryRows } from './sample.ts';
import type { CubeRow } from './cube.ts';

/** Names as no gateway should let through: markup, formulas, every direction and script, controls, lengths. */
export const hostileNames: readonly string[] = [
  '<script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  '"><style>*{display:none}</style>',
  "' onmouseover='alert(1)",
  '</td></tr></table></body>',
  '<!-- ',
  '-->',
  '&lt;b&gt; & &amp;amp;',
  '{total} ${1+1} {{x}} %s \\n',
  '=HYPERLINK("http://evil.example","click")',
  '+SUM(A1:A9)',
  '@cmd|calc',
  '-2+3',
  'مفتاح الإنتاج الرئيسي',
  'מפתח ייצור ראשי 42',
  'evil \u202Egpj.exe\u202C key',
  '\u2067isolated',
  '生产环境密钥（主）',
  '本番キー・検索サービス',
  'ключ-для-отчётов',
  'กุญแจหลักสำหรับการผลิต',
  '👩‍👩‍👧‍👦 family 🇩🇪 🏳️‍🌈 key 🔑',
  `z${'\u0300\u0301\u0302\u0303'.repeat(60)}algo`,
  'a'.repeat(400),
  'very-long-name-with-dashes-'.repeat(12),
  '长'.repeat(120),
  'line\r\nbreak\tand\u0000null\u0007bell\u2028sep',
  '\uD800 lone surrogate',
  '   ',
  '\u200B\u200B',
  'Subject: x\r\nBcc: victim@example.com',
  'NaN',
  'null',
  '__proto__',
  'constructor',
];

/** Ordinary traffic of which every model and key has a hostile name; a few amounts are huge, a few tiny. */
export const hostileRows = (): readonly CubeRow[] => {
  const rows = ordinaryRows('2026-09-19', 62).filter((_, at) => at % 9 === 0);
  const pick = (at: number): string => hostileNames[at % hostileNames.length] ?? '';
  const amounts = ['1234567.891234567891', '0.000000000001', '98765.4321', '0.0042', '12', '-0.5'];
  return rows.map((row, at) => ({
    ...row,
    model: pick(at),
    key: pick(at * 7 + 3),
    spend: amounts[at % amounts.length] ?? '1',
    prompt: (row.prompt ?? 0) * 90_001,
    kind: at % 6 === 5 ? 'refund' : 'consumption',
  }));
};
