import { cidOf } from './chart-cid.ts';
import { htmlChange } from './html-change.ts';
import { htmlTable } from './html-table.ts';
import { markup, trusted } from './markup.ts';
import type { Html } from './markup.ts';
import type { ChartModel, FigureModel, FiguresModel, NotesModel, SectionModel, TextModel } from './model.ts';
import { colour } from './styles.ts';

/** Inside the padding of the card. */
export const contentWidth = 536;

const tile = (figure: FigureModel | undefined, hasChanges: boolean): Html => {
  if (figure === undefined) return markup`<td width="50%">&nbsp;</td>`;
  const change = figure.change === undefined ? markup`&nbsp;` : htmlChange(figure.change);
  const changeLine = hasChanges
    ? markup`<div style="font-size:12px;line-height:18px">${change}</div>`
    : undefined;
  return markup`<td width="50%" valign="top" style="padding:0 8px 14px 0"><div class="sf" style="font-size:12px;line-height:18px;color:${colour.soft}">${figure.label}</div><div class="ik" style="font-size:18px;line-height:24px;font-weight:600;color:${colour.ink};font-variant-numeric:tabular-nums">${figure.value.text}</div>${changeLine}</td>`;
};

/** Two tables of two tiles side by side: on a phone they stack, and each row of two keeps one height. */
const figuresHtml = ({ figures }: FiguresModel): Html => {
  const pairs = Array.from({ length: Math.ceil(figures.length / 2) }, (_, at) =>
    figures.slice(at * 2, at * 2 + 2),
  );
  const half = contentWidth / 2;
  // All tiles have a line for the change or none has, so that they keep one height.
  const hasChanges = figures.some(({ change }) => change !== undefined);
  const blocks = pairs.map(
    ([left, right], at) =>
      markup`${trusted(at % 2 === 0 ? `<!--[if mso]><table role="presentation" width="${contentWidth}"><tr><td width="${half}"><![endif]-->` : `<!--[if mso]></td><td width="${half}"><![endif]-->`)}<table role="presentation" class="f2" align="left" width="${half}" cellpadding="0" cellspacing="0"><tr>${tile(left, hasChanges)}${tile(right, hasChanges)}</tr></table>${trusted(at % 2 === 1 || at === pairs.length - 1 ? '<!--[if mso]></td></tr></table><![endif]-->' : '')}`,
  );
  return markup`${blocks}<div style="clear:both;font-size:0;line-height:0">&nbsp;</div>`;
};

const chartHtml = (chart: ChartModel): Html =>
  markup`<img src="cid:${cidOf(chart)}" width="${contentWidth}" alt="${chart.alt}" class="sf" style="display:block;width:100%;max-width:${contentWidth}px;height:auto;border:0;font-size:12px;line-height:18px;color:${colour.soft}">`;

/** The names of the colours, where no table tells them. */
const legendHtml = ({ legend }: ChartModel): Html | undefined =>
  legend.length < 2
    ? undefined
    : markup`<div class="sf nm" style="padding:8px 0 0;font-size:12px;line-height:20px;color:${colour.soft}">${legend.map(({ name, colour: fill }) => markup`<span style="color:${fill}">■</span>&nbsp;${name} &nbsp; `)}</div>`;

const paragraphsHtml = ({ paragraphs }: TextModel): Html =>
  markup`${paragraphs.map((text) => markup`<p class="ik" style="margin:0 0 10px;font-size:14px;line-height:21px;color:${colour.ink}">${text}</p>`)}`;

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
      : markup`<h2 class="ik" style="margin:0 0 10px;font-size:15px;line-height:22px;font-weight:600;color:${colour.ink}">${section.title}${extra}</h2>`;
  return markup`<tr><td style="padding:${section.title === undefined ? '14px' : '24px'} 0 0">${title}\n${bodyOf(section)}</td></tr>\n`;
};
