import { html, raw } from 'hono/html';
import { formatSlot } from '../../core/index.ts';
import { meterSvg } from '../../reports/index.ts';
import type { AlertState, AlertView } from '../alert-view.ts';
import type { Tone } from '../tones.ts';
import {
  actionForm,
  chip,
  isolated,
  momentAway,
  pair,
  section,
  type Html,
  type PageLook,
} from './messages.ts';

const tones: Readonly<Record<AlertState, Tone>> = {
  ok: 'good',
  exceeded: 'bad',
  forecast: 'warn',
  low: 'bad',
  unknown: 'warn',
  'not-evaluated': 'quiet',
};

const stateText = (state: AlertState): string => (state === 'not-evaluated' ? 'not evaluated yet' : state);

const meterOf = ({ status, texts: { spend, amount } }: AlertView): Html => {
  if (status?.kind !== 'budget' || status.spend === undefined) return html``;
  const { spend: value, amount: of, forecast, state } = status;
  return html`${raw(
    meterSvg(
      { value, of, ...(forecast === undefined ? {} : { forecast }) },
      state === 'exceeded' ? 'bad' : 'good',
      `${spend ?? ''} of ${amount ?? ''}`,
    ),
  )}`;
};

const firingText = ({ firing, zone }: AlertView): Html => {
  const [first] = firing;
  return first === undefined
    ? html``
    : pair(
        'Firing',
        html`${firing.map(({ level }) => level).join(', ')}, since ${formatSlot(first.raisedAt, zone)}`,
      );
};

const alertItem = (alert: AlertView, look: PageLook): Html => {
  const { account, state, texts, mute, acknowledged, firing, zone, evaluatedAt, status } = alert;
  const { spend, amount, forecast, forecastRange, lasts, reason } = texts;
  const key = [
    ['alert', alert.alert],
    ['account', account],
  ] as const;
  return html`<li class="${firing.length > 0 && mute === undefined ? 'hurt' : ''}">
    <h3>
      ${isolated(alert.alert)} ${chip(stateText(state), tones[state])}
      ${mute === undefined ? '' : chip('muted', 'quiet')}
      ${acknowledged === undefined ? '' : chip('acknowledged', 'quiet')}
      <small>${isolated(status?.kind === 'budget' ? status.scope : account)}</small>
    </h3>
    ${meterOf(alert)}
    <dl>
      ${spend === undefined || amount === undefined ? '' : pair('Spend', isolated(`${spend} of ${amount}`))}
      ${
        forecast === undefined
          ? ''
          : pair(
              'Forecast',
              isolated(`${forecast}${forecastRange === undefined ? '' : ` (${forecastRange})`}`),
            )
      }
      ${lasts === undefined ? '' : pair('Lasts', isolated(lasts))} ${firingText(alert)}
      ${
        mute === undefined
          ? ''
          : pair('Muted', html`until ${formatSlot(mute.until, zone)}, by ${isolated(mute.by)}`)
      }
      ${acknowledged === undefined ? '' : pair('Acknowledged', html`by ${isolated(acknowledged.by)}`)}
      ${evaluatedAt === undefined ? '' : pair('Evaluated', momentAway(evaluatedAt, look, zone))}
    </dl>
    ${reason === undefined ? '' : html`<p class="quiet">${isolated(reason)}</p>`}
    <div class="actions">
      ${firing.length > 0 && acknowledged === undefined ? actionForm('acknowledge', 'Acknowledge', key, look) : ''}
      ${mute === undefined ? actionForm('mute', 'Mute for a day', [...key, ['days', '1']], look) : ''}
    </div>
  </li>`;
};

/** Firing alerts first. */
export const alertsSection = (alerts: readonly AlertView[], look: PageLook): Html => {
  if (alerts.length === 0) return html``;
  const isFiring = ({ firing }: AlertView): number => (firing.length > 0 ? 0 : 1);
  return section(
    'Budgets and alerts',
    html`<ul>
      ${alerts
        .toSorted((one, other) => isFiring(one) - isFiring(other))
        .map((alert) => alertItem(alert, look))}
    </ul>`,
  );
};
