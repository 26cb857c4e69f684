import { localeOf } from '../../messages/index.ts';
import type {
  ChartModel,
  FigureModel,
  FiguresModel,
  HeadlineModel,
  NotesModel,
  ReportModel,
  SectionModel,
} from '../compose/model.ts';
import { changeText } from '../render/html-change.ts';
import { colour } from '../render/styles.ts';
import { drawChart, paperChart } from './pdf-chart.ts';
import { pdfFonts, printable } from './pdf-fonts.ts';
import { contentWidth, createCursor, pageSize, type Cursor, type PdfFile } from './pdf-page.ts';
import { drawTable } from './pdf-table.ts';
import { createPdfText, lineHeightOf, type PdfText, type TextStyle } from './pdf-text.ts';

type Pen = { readonly document: PdfFile; readonly text: PdfText; readonly cursor: Cursor };

const left = pageSize.margin;

/** Draws a paragraph, line by line over pages. */
const paragraph = ({ text, cursor }: Pen, content: string, style: TextStyle, after = 0): void => {
  const lineHeight = lineHeightOf(style.size);
  for (const line of text.wrap(content, contentWidth, style)) {
    cursor.need(lineHeight);
    text.draw(line, left, cursor.y(), style);
    cursor.move(lineHeight);
  }
  cursor.move(after);
};

const toneColour = (tone: string): string => (tone === 'good' || tone === 'bad' ? colour[tone] : colour.soft);

const headline = (pen: Pen, { label, value, change, compared, cause }: HeadlineModel): void => {
  const { text, cursor } = pen;
  paragraph(pen, label, { size: 10, colour: colour.soft });
  text.draw(value.text, left, cursor.y(), { size: 28, isBold: true, colour: colour.ink });
  cursor.move(40);
  const moved = change.direction === 'unknown' ? '' : changeText(change);
  const style = { size: 10, colour: toneColour(change.tone) };
  if (moved !== '') text.draw(moved, left, cursor.y(), style);
  const indent = moved === '' ? 0 : text.widthOf(`${moved} `, style);
  const lines = text.wrap(compared, contentWidth - indent, { size: 10, colour: colour.soft });
  for (const line of lines) {
    text.draw(line, left + indent, cursor.y(), { size: 10, colour: colour.soft });
    cursor.move(14.5);
  }
  if (cause !== undefined) paragraph(pen, cause, { size: 11, colour: colour.ink }, 4);
};

const tileWidth = contentWidth / 2;

const messageOf = ({ change, note }: FigureModel): string =>
  [...(change === undefined ? [] : [changeText(change)]), ...(note === undefined ? [] : [note.text])].join(
    ' ',
  );

const figures = ({ document, text, cursor }: Pen, { figures: all }: FiguresModel): void => {
  for (let at = 0; at < all.length; at += 2) {
    const pair = all.slice(at, at + 2);
    const messages = pair.map((figure) =>
      text.wrap(messageOf(figure), tileWidth - 20, { size: 8.5, colour: colour.soft }),
    );
    const height = 42 + Math.max(...messages.map((lines) => (lines[0] === '' ? 0 : lines.length))) * 12.5;
    cursor.need(height);
    for (const [column, figure] of pair.entries()) {
      const x = left + column * tileWidth;
      document.rect(x, cursor.y(), tileWidth, height).lineWidth(0.5).stroke(colour.line);
      text.draw(figure.label, x + 10, cursor.y() + 7, { size: 8.5, colour: colour.soft });
      text.draw(figure.value.text, x + 10, cursor.y() + 19, { size: 13, isBold: true, colour: colour.ink });
      const tone = figure.note?.tone === 'bad' ? 'bad' : (figure.change?.tone ?? 'neutral');
      for (const [line, message] of (messages[column] ?? []).entries())
        text.draw(message, x + 10, cursor.y() + 38 + line * 12.5, { size: 8.5, colour: toneColour(tone) });
    }
    cursor.move(height);
  }
};

const chart = (pen: Pen, section: ChartModel, model: ReportModel): void => {
  const { document, text, cursor } = pen;
  cursor.need(paperChart.height + 24);
  drawChart(document, text, section, model, { x: left, y: cursor.y() });
  cursor.move(paperChart.height + 8);
  if (section.legend.length < 2) return;
  const style = { size: 8.5, colour: colour.soft };
  let x = left as number;
  for (const { name, colour: fill } of section.legend) {
    const shown = text.wrap(name, contentWidth / 2, style)[0] ?? '';
    const width = 12 + text.widthOf(shown, style) + 14;
    if (x + width > left + contentWidth && x > left) {
      cursor.move(13);
      x = left;
    }
    cursor.need(13);
    document.rect(x, cursor.y() + 2, 7, 7).fill(fill);
    text.draw(shown, x + 12, cursor.y(), style);
    x += width;
  }
  cursor.move(16);
};

const notes = ({ document, text, cursor }: Pen, { notes: all }: NotesModel): void => {
  for (const { tone, text: content } of all) {
    const [ground, ink] =
      tone === 'warning' ? [colour.warningGround, colour.warningInk] : [colour.lookGround, colour.lookInk];
    const style = { size: 9.5, colour: ink };
    const lines = text.wrap(content, contentWidth - 24, style);
    const height = lines.length * 14 + 12;
    cursor.need(height + 6);
    document.roundedRect(left, cursor.y(), contentWidth, height, 5).fill(ground);
    for (const [at, line] of lines.entries()) text.draw(line, left + 12, cursor.y() + 6 + at * 14, style);
    cursor.move(height + 6);
  }
};

const section = (pen: Pen, part: SectionModel, model: ReportModel): void => {
  const { cursor } = pen;
  cursor.move(14);
  if (part.title !== undefined) {
    // A title stays with the first part of what it is about.
    cursor.need(part.kind === 'chart' ? paperChart.height + 56 : 90);
    const note = part.kind === 'chart' && part.note !== undefined ? ` ${part.note}` : '';
    paragraph(pen, `${part.title}${note}`, { size: 12, isBold: true, colour: colour.ink }, 4);
  }
  switch (part.kind) {
    case 'figures':
      figures(pen, part);
      return;
    case 'table':
      drawTable(pen.document, pen.text, cursor, part);
      return;
    case 'chart':
      chart(pen, part, model);
      return;
    case 'text':
      for (const content of part.paragraphs) paragraph(pen, content, { size: 10, colour: colour.ink }, 5);
      return;
    case 'notes':
      notes(pen, part);
      return;
    default:
      part satisfies never;
  }
};

/** Replaces every text of a model by its printable form: characters without a glyph are boxes. */
const printableModel = <Part>(part: Part, missing: Set<number>): Part => {
  const walk = (value: unknown): unknown => {
    if (typeof value === 'string') return printable(value, missing);
    if (Array.isArray(value)) return value.map(walk);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, walk(inner)]));
  };
  return walk(part) as Part;
};

const pointsText = (missing: ReadonlySet<number>): string =>
  [...missing]
    .toSorted((one, other) => one - other)
    .slice(0, 40)
    .map((point) => `U+${point.toString(16).toUpperCase().padStart(4, '0')}`)
    .join(', ');

/** The title and the number of each page, which are known once all are drawn. */
const footers = ({ document, text }: Pen, title: string, page: (at: number, of: number) => string): void => {
  const { start, count } = document.bufferedPageRange();
  const style = { size: 8, colour: colour.soft };
  for (let at = 0; at < count; at += 1) {
    document.switchToPage(start + at);
    const y = pageSize.height - pageSize.margin - 8;
    const number = page(at + 1, count);
    text.draw(number, left + contentWidth, y, { ...style, align: 'right' });
    const room = contentWidth - text.widthOf(number, style) - 20;
    text.draw(text.wrap(title, room, style)[0] ?? '', left, y, style);
  }
};

/** A report as PDF on A4. Equal reports give equal bytes: the time that the file states is the end of the period. */
export const renderPdf = async (model: ReportModel): Promise<Buffer> => {
  const { default: PDFDocument } = await import('pdfkit');
  const locale = localeOf(model.locale);
  const { pdf } = locale.messages;
  const missing = new Set<number>();
  const { data: _, mail: __, ...given } = model;
  const shown = { ...model, ...printableModel(given, missing) };
  const heading = `${shown.title} · ${shown.account} · ${shown.period}`;
  const document = new PDFDocument({
    size: [pageSize.width, pageSize.height],
    margin: 0,
    // Otherwise it reads a standard font from its own package.
    font: pdfFonts.get('regular') ?? '',
    bufferPages: true,
    lang: locale.lang,
    displayTitle: true,
    info: {
      Title: heading,
      Subject: shown.subject,
      Creator: 'Tollkeeper',
      Producer: 'Tollkeeper',
      CreationDate: new Date(model.end * 1000),
    },
  });
  const chunks: Buffer[] = [];
  const ended = new Promise<void>((resolve, reject) => {
    document.on('data', (chunk: Buffer) => chunks.push(chunk));
    document.once('end', resolve);
    document.once('error', reject);
  });
  for (const [name, file] of pdfFonts) document.registerFont(name, file);
  const pen: Pen = { document, text: createPdfText(document), cursor: createCursor(document) };
  paragraph(pen, heading, { size: 10, colour: colour.soft }, 10);
  headline(pen, shown.headline);
  for (const part of shown.sections) section(pen, part, shown);
  pen.cursor.move(18);
  const last = missing.size === 0 ? [] : [pdf.missing(pointsText(missing))];
  for (const line of [...shown.footer, ...last]) paragraph(pen, line, { size: 8, colour: colour.soft }, 2);
  footers(pen, heading, pdf.page);
  document.end();
  await ended;
  return Buffer.concat(chunks);
};
