import { html, raw } from 'hono/html';
import { meterSvg } from '../../reports/index.ts';
import { partsOf, type Action, type Block, type Cell, type Item, type Note, type Text } from '../blocks.ts';
import type { PageView } from '../sections/registry.ts';
import { strip } from './strip.ts';
import {
  actionForm,
  chip,
  command,
  isolated,
  messageWithCommands,
  momentAway,
  moment,
  pair,
  roughly,
  section,
  table,
  type Html,
  type PageLook,
} from './widgets.ts';

/** A time has its distance from now beside it, where a text does not go on after it. */
const textHtml = (text: Text, look: PageLook): Html => {
  const parts = partsOf(text);
  return html`${parts.map((part) => {
    if (typeof part === 'string')
      return html`${part.startsWith(' ') ? ' ' : ''}${messageWithCommands(part)}${part.endsWith(' ') ? ' ' : ''}`;
    if ('millis' in part) return roughly(part.millis);
    return parts.length === 1 ? momentAway(part.at, look, part.zone) : moment(part.at, look, part.zone);
  })}`;
};

const adviceHtml = (advice: string | undefined): Html =>
  advice === undefined ? html`` : html`<p><i>What to do:</i> ${messageWithCommands(advice)}</p>`;

const noteHtml = ({ text, tone, advice }: Note, look: PageLook): Html =>
  html`<p class="${tone === 'quiet' ? 'quiet' : ''}">${textHtml(text, look)}</p>
    ${adviceHtml(advice)}`;

const meterOf = ({ cells = [], state }: Item): Html => {
  const found = cells.find(({ meter }) => meter?.value !== undefined)?.meter;
  if (found?.value === undefined) return html``;
  const { value, of, forecast, currency } = found;
  return html`${raw(
    meterSvg(
      { value, of, ...(forecast === undefined ? {} : { forecast }) },
      state?.tone === 'bad' ? 'bad' : 'good',
      `${value} of ${of} ${currency}`,
    ),
  )}`;
};

const cellHtml = ({ value, of }: Cell, look: PageLook): Html | undefined =>
  value === undefined
    ? undefined
    : html`${textHtml(value, look)}${of === undefined ? '' : html` of ${isolated(of)}`}`;

const actionsHtml = (actions: readonly Action[] | undefined, look: PageLook): Html =>
  actions === undefined || look.csrf === undefined
    ? html``
    : html`<div class="actions">
        ${actions.map(({ name, label, fields }) => actionForm(name, label, fields, look))}
      </div>`;

const partsHtml = ({ parts = [] }: Item, look: PageLook): Html =>
  parts.length === 0 || look.csrf === undefined
    ? html``
    : html`<details>
        <summary>Mute one of them</summary>
        <ul>
          ${parts.map(({ name, actions }) => html`<li>${isolated(name)} ${actionsHtml(actions, look)}</li>`)}
        </ul>
      </details>`;

const nameHtml = ({ name, link, state, marks = [], about }: Item): Html =>
  html`${link === undefined ? isolated(name) : html`<a href="${link}">${isolated(name)}</a>`}
  ${[...(state === undefined ? [] : [state]), ...marks].map(({ text, tone }) => chip(text, tone))}
  ${about === undefined ? '' : html`<small>${isolated(about)}</small>`}`;

const itemHtml = (item: Item, view: PageView, look: PageLook): Html => {
  const cells = (item.cells ?? []).flatMap((cell) => {
    const shown = cellHtml(cell, look);
    return shown === undefined ? [] : [pair(cell.title, shown)];
  });
  return html`<li class="${item.isBad === true ? 'hurt' : ''}">
    <h3>${nameHtml(item)}</h3>
    ${meterOf(item)} ${cells.length === 0 ? '' : html`<dl>${cells}</dl>`}
    ${item.strip === undefined ? '' : strip(item.strip, view)}
    ${(item.notes ?? []).map((note) => noteHtml(note, look))} ${adviceHtml(item.advice)}
    ${partsHtml(item, look)} ${actionsHtml(item.actions, look)}
  </li>`;
};

/** Stands for what is missing; left out on a phone, where each cell is a line. */
const none = html`<span class="none">–</span>`;

const tableHtml = (items: readonly Item[], look: PageLook): Html => {
  const titles = items[0]?.cells?.map(({ title }) => title) ?? [];
  return html`<div class="box">
    ${table(
      ['Name', ...titles],
      items.map((item) => [
        nameHtml(item),
        ...(item.cells ?? []).map((cell) => cellHtml(cell, look) ?? none),
      ]),
    )}
  </div>`;
};

const blockHtml = (block: Block, view: PageView, look: PageLook): Html => {
  const { notes = [], items = [], isTable, most = Number.POSITIVE_INFINITY, all, advice } = block;
  const shown = items.slice(0, most);
  const more = items.length - shown.length;
  const list = html`<ul>
    ${shown.map((item) => itemHtml(item, view, look))}
  </ul>`;
  return html`${notes.map((note) => noteHtml(note, look))}
  ${shown.length === 0 ? '' : isTable === true ? tableHtml(shown, look) : list}
  ${more === 0 ? '' : html`<p>… and ${more} more: ${command(all ?? '')} lists all.</p>`}
  ${advice === undefined ? '' : html`<p>${messageWithCommands(advice)}</p>`}`;
};

/** Blocks with one title are one section, where the first of them stands. */
export const sectionsHtml = (
  blocks: readonly Block[],
  view: PageView,
  look: PageLook,
): ReadonlyMap<string, Html> => {
  const titles = new Set(blocks.map(({ title }) => title));
  return new Map(
    [...titles].map((title) => {
      const own = blocks.filter((block) => block.title === title);
      return [
        title,
        section(
          title,
          own.map((block) => blockHtml(block, view, look)),
        ),
      ];
    }),
  );
};
