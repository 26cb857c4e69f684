import type { LocaleTag } from '../../core/index.ts';

/** The styles of the mail: inline for every client, classes for dark mode and narrow screens. */
export const fontOf = (tag: LocaleTag): string => {
  // Latin letters and digits use the fonts before them, Chinese those of macOS, Windows and Linux.
  const chinese = tag === 'zh' ? "'PingFang SC','Microsoft YaHei','Noto Sans CJK SC'," : '';
  return `font-family:-apple-system,BlinkMacSystemFont,'Segoe UI',Roboto,'Helvetica Neue',Arial,${chinese}sans-serif`;
};

export const colour = {
  page: '#f3f4f6',
  card: '#ffffff',
  ink: '#16181d',
  soft: '#5b6270',
  line: '#e4e6eb',
  bad: '#b42318',
  good: '#067647',
  warningInk: '#6f4400',
  warningGround: '#fff5e0',
  lookInk: '#1d3b8b',
  lookGround: '#eef3ff',
} as const;

const dark = (root: string): string => `
${root} .pg{background:#0e0f12 !important}
${root} .cd{background:#17191e !important}
${root} .ik{color:#f2f3f5 !important}
${root} .sf{color:#a4abb8 !important}
${root} .ln{border-color:#2d3038 !important}
${root} .bd{color:#ff8f85 !important}
${root} .gd{color:#4fd39b !important}
${root} .wn{background:#33270f !important;color:#ffd98a !important}
${root} .tr{background:#2d3038 !important}
${root} .lk{background:#1b2440 !important;color:#b9ccff !important}`;

/** Gmail drops a whole style block with an unsupported rule, so such rules are in separate blocks. */
export const styleBlocks: readonly string[] = [
  `:root{color-scheme:light dark;supported-color-schemes:light dark}`,
  `body{margin:0;padding:0}
img{border:0}
.nm{overflow-wrap:anywhere;word-break:break-word}`,
  `@media (max-width:599px){
.ot{padding:0 !important}
.cd{border-radius:0 !important;padding:24px 16px !important}
.hd{font-size:34px !important}
.br,.wo{display:none !important}
.lg{white-space:normal !important;overflow-wrap:anywhere;word-break:break-word}
.t{font-size:12px !important}
.t td,.t th{padding-left:6px !important}
.t td:first-child,.t th:first-child{padding-left:0 !important}
.w{font-size:11px !important}
.w th{font-size:9px !important}
.w td,.w th{padding-left:3px !important}
.f2{width:100% !important;float:none !important}
.fn{border-top:1px solid ${colour.line} !important}
.fn td:first-child{border-left:0 !important}
}`,
  `@media (prefers-color-scheme:dark){${dark('')}}`,
  dark('[data-ogsc]').trim(),
];
