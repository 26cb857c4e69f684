import { cidOf } from '../charts/chart-cid.ts';
import { htmlChange } from './html-change.ts';
import { htmlTable } from './html-table.ts';
import { markup, trusted, type Html } from './markup.ts';
import type {
  ChartModel,
  FigureModel,
  FiguresModel,
  NotesModel,
  SectionModel,
  TextModel,
} from '../compose/model.ts';
import { colour } from './styles.ts';
import { widthOf, wrap } from './text-width.ts';

/** The width inside the padding of the card. */
export const contentWidth = 536;

/** Below the figure: its change and note. */
const messageHtml = ({ change, note }: FigureModel): Html => {
  const parts = [
    ...(change === undefined ? [] : [htmlChange(change)]),
    ...(note === undefined
      ? []
      : [
          note.tone === 'bad'
            ? markup`<span class="bd" style="color:${colour.bad}">${note.text}</span>`
            : markup`${note.text}`,
        ]),
  ];
  return parts.length === 0
    ? markup`&nbsp;`
    : markup`${parts.map((part, at) => markup`${at === 0 ? '' : ' '}${part}`)}`;
};

/** Characters that fit side by side in the narrowest tile. */
const tileLetters = 18;

/** The number of lines below the figures: reserved in all tiles, so that they have the same height. */
const linesBelow = (figures: readonly FigureModel[]): number =>
  Math.max(
    0,
    ...figures.map(({ change, note }) => {
      const phrases = [
        ...(change === undefined ? [] : [`▲ ${change.text}`]),
        ...(note === undefined ? [] : [note.text]),
      ];
      return phrases.length === 0 ? 0 : wrap(phrases.join(' '), tileLetters).length;
    }),
  );

/** The font size of figures in pixels: the longest fits on one line. */
const sizeOf = (figures: readonly FigureModel[]): number => {
  const longest = Math.max(0, ...figures.map(({ value }) => widthOf(value.text)));
  if (longest <= 12) return 18;
  return longest <= 14 ? 15 : 12;
};

type TileLook = { readonly lines: number; readonly size: number };

const tile = (figure: FigureModel | undefined, { lines, size }: TileLook, isFirst: boolean): Html => {
  const height = 42 + lines * 18;
  if (figure === undefined) return markup`<td width="50%" height="${height}">&nbsp;</td>`;
  const edge = isFirst ? '' : `;border-left:1px solid ${colour.line}`;
  const phrases =
    lines > 0
      ? markup`<div class="sf nm" style="font-size:12px;line-height:18px;color:${colour.soft}">${messageHtml(figure)}</div>`
      : undefined;
  return markup`<td width="50%" height="${height}" valign="top" class="ln" style="padding:12px 6px 12px 13px${trusted(edge)}"><div class="sf" style="font-size:12px;line-height:18px;color:${colour.soft}">${figure.label}</div><div class="ik" style="font-size:${size}px;line-height:24px;font-weight:600;color:${colour.ink};font-variant-numeric:tabular-nums">${figure.value.text}</div>${phrases}</td>`;
};

/** Two tables of two tiles side by side: on a phone they stack, and each row of two keeps one height. */
const figuresHtml = ({ figures }: FiguresModel): Html => {
  const pairs = Array.from({ length: Math.ceil(figures.length / 2) }, (_, at) =>
    figures.slice(at * 2, at * 2 + 2),
  );
  const inside = contentWidth - 2;
  const half = inside / 2;
  const look: TileLook = { lines: linesBelow(figures), size: sizeOf(figures) };
  const blocks = pairs.map(([left, right], at) => {
    const isSecond = at % 2 === 1;
    const above = at > 1 ? `border-top:1px solid ${colour.line}` : '';
    return markup`${trusted(isSecond ? `<!--[if mso]></td><td width="${half}"><![endif]-->` : `<!--[if mso]><table role="presentation" width="${inside}"><tr><td width="${half}"><![endif]-->`)}<table role="presentation" class="f2 ln${at > 0 ? ' fn' : ''}" align="left" width="${half}" cellpadding="0" cellspacing="0" style="${trusted(above)}"><tr>${tile(left, look, !isSecond)}${tile(right, look, false)}</tr></table>${trusted(isSecond || at === pairs.length - 1 ? '<!--[if mso]></td></tr></table><![endif]-->' : '')}`;
  });
  return markup`<table role="presentation" class="ln" width="100%" cellpadding="0" cellspacing="0" style="border:1px solid ${colour.line};border-radius:8px;border-collapse:separate"><tr><td>${blocks}</td></tr></table>`;
};

const chartHtml = (chart: ChartModel): Html =>
  markup`<img src="cid:${cidOf(chart)}" width="${contentWidth}" alt="${chart.alt}" class="sf" style="display:block;width:100%;max-width:${contentWidth}px;height:auto;border:0;font-size:12px;line-height:18px;color:${colour.soft}">`;

/** Longer names may break within the legend. */
const longestInOneLine = 30;

const legendItem = ({ name, colour: fill }: ChartModel['legend'][number]): Html => {
  const item = markup`<span style="color:${fill}">■</span>&nbsp;${name}`;
  return name.length > longestInOneLine
    ? markup`${item} &nbsp; `
    : markup`<span style="white-space:nowrap">${item}</span> &nbsp; `;
};

/** The legend, unless a table shows the colours. */
const legendHtml = ({ legend }: ChartModel): Html | undefined =>
  legend.length < 2
    ? undefined
    : markup`<div class="sf nm" style="padding:8px 0 0;font-size:12px;line-height:20px;color:${colour.soft}">${legend.map(legendItem)}</div>`;

const paragraphsHtml = ({ paragraphs }: TextModel): Html =>
  markup`${paragraphs.map((text) => markup`<p class="ik nm" style="margin:0 0 10px;font-size:14px;line-height:21px;color:${colour.ink}">${text}</p>`)}`;

const notesHtml = ({ notes }: NotesModel): Html =>
  markup`${notes.map(({ tone, text }) => {
    const [ground, ink, name] =
      tone === 'warning'
        ? [colour.warningGround, colour.warningInk, 'wn']
        : [colour.lookGround, colour.lookInk, 'lk'];
    return markup`<table role="presentation" width="100%" cellpadding="0" cellspacing="0" style="margin:0 0 8px"><tr><td class="${name} nm" bgcolor="${ground}" style="padding:10px 14px;border-radius:8px;background:${ground};font-size:13px;line-height:19px;color:${ink}">${text}</td></tr></table>`;
  })}`;

const bodyOf = (section: SectionModel): Html => {
  switch (section.kind) {
    case 'figures':
      return figuresHtml(section);
    case 'table':
      return htmlTable(section);
    case 'chart':
      return markup`${chartHtml(section)}${legendHtml(section)}`;
    case 'text':
      return paragraphsHtml(section);
    case 'notes':
      return notesHtml(section);
    default:
      return section satisfies never;
  }
};

export const sectionHtml = (section: SectionModel): Html => {
  const note = section.kind === 'chart' ? section.note : undefined;
  const extra =
    note === undefined
      ? undefined
      : markup` <span class="sf" style="font-weight:400;font-size:12px;color:${colour.soft}">${note}</span>`;
  const title =
    section.title === undefined
      ? undefined
      : markup`<h2 class="ik" style="margin:0 0 8px;font-size:15px;line-height:22px;font-weight:600;color:${colour.ink}">${section.title}${extra}</h2>`;
  return markup`<tr><td style="padding:${section.title === undefined ? '14px' : '20px'} 0 0">${title}\n${bodyOf(section)}</td></tr>\n`;
};
