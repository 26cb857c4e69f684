import type { RotationView } from '../../keys/index.ts';
import { html } from 'hono/html';
import type { Interval, UnixMillis } from '../../core/index.ts';
import type { AccountView, ComparedView, GapView } from '../status-data.ts';
import {
  chip,
  command,
  moment,
  momentAway,
  pair,
  isolated,
  messageWithCommands,
  section,
  type Html,
  type PageLook,
} from './messages.ts';

const rangeOf = ({ start, end }: Interval<UnixMillis>, look: PageLook): Html =>
  html`${moment(start, look)} to ${moment(end, look)}`;

const comparedItem = (one: ComparedView, look: PageLook): Html =>
  html`<li class="${one.bad ? 'hurt' : ''}">
    <h4>${isolated(one.source)} ${chip(one.verdict, one.bad ? 'bad' : 'good')}</h4>
    <p>${isolated(one.text)}</p>
    <p class="quiet">${rangeOf(one.range, look)}, compared ${momentAway(one.comparedAt, look)}</p>
  </li>`;

const gapItem = (gap: GapView, look: PageLook): Html =>
  html`<li class="${gap.state === 'open' ? 'hurt' : ''}">
    <h4>${isolated(gap.source)} ${chip(gap.verdict, gap.state === 'open' ? 'bad' : 'warn')}</h4>
    <p>${isolated(gap.text)}</p>
    <p class="quiet">
      ${rangeOf(gap.range, look)}, noted
      ${momentAway(gap.notedAt, look)}${gap.state === 'passed' ? '; later periods agree again' : ''}
    </p>
  </li>`;

const accountItem = (
  { account, log, sources, compared, gaps, moreGaps }: AccountView,
  look: PageLook,
): Html =>
  html`<li>
    <h3>${isolated(account)}</h3>
    <dl>
      ${pair('Call log', log === undefined ? html`no data pulled yet` : rangeOf(log, look))}
      ${sources.map(({ job, kind, watermark }) =>
        pair(
          job === kind ? job : `${job} (${kind})`,
          watermark === undefined ? html`incomplete` : html`reaches ${momentAway(watermark, look)}`,
        ),
      )}
    </dl>
    ${
      compared.length === 0
        ? html`<p class="quiet">No comparison with the gateway’s own figures yet.</p>`
        : html`<ul>
            ${compared.map((one) => comparedItem(one, look))}
          </ul>`
    }
    ${
      gaps.length === 0
        ? ''
        : html`<h4 class="over">Known gaps</h4>
            <ul>
              ${gaps.map((gap) => gapItem(gap, look))}
            </ul>`
    }
    ${moreGaps > 0 ? html`<p class="quiet">… and ${moreGaps} older.</p>` : ''}
  </li>`;

export const accountsSection = (accounts: readonly AccountView[], look: PageLook): Html =>
  section(
    'Data',
    accounts.length === 0
      ? html`<p>No account is declared.</p>`
      : html`<ul>
          ${accounts.map((account) => accountItem(account, look))}
        </ul>`,
  );

const rotationItem = (one: RotationView, look: PageLook): Html =>
  html`<li class="${one.stage === 'waiting' ? 'hurt' : ''}">
    <h3>
      ${isolated(one.service)} ${chip(one.stage, one.stage === 'waiting' ? 'bad' : 'busy')}
      <span class="quiet">${isolated(one.account)}</span>
    </h3>
    <dl>
      ${pair('Since', momentAway(one.since, look))}
      ${one.old === undefined ? '' : pair('Old key', html`${isolated(one.old.name)} <small>(id ${one.old.keyId})</small>`)}
      ${
        one.candidate === undefined
          ? ''
          : pair('New key', html`${isolated(one.candidate.name)} <small>(id ${one.candidate.keyId})</small>`)
      }
      ${one.tries === 0 ? '' : pair('Failed tries', html`${one.tries}`)}
    </dl>
    <p>${messageWithCommands(one.message)}</p>
  </li>`;

/** Keeps the page readable; `keys list` shows all. */
const maxRotations = 20;

/** Open rotations, those that need a person first. */
export const rotationsSection = (rotations: readonly RotationView[], look: PageLook): Html => {
  if (rotations.length === 0) return html``;
  const waits = ({ stage }: RotationView): number => (stage === 'waiting' ? 0 : 1);
  const shown = rotations.toSorted((one, other) => waits(one) - waits(other)).slice(0, maxRotations);
  const more = rotations.length - shown.length;
  return section(
    'Key rotations',
    html`<ul>
        ${shown.map((one) => rotationItem(one, look))}
      </ul>
      ${more === 0 ? '' : html`<p>… and ${more} more: ${command('tollkeeper keys list')} lists them.</p>`}`,
  );
};
