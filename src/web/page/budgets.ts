import { html, raw } from 'hono/html';
import { formatSlot } from '../../core/index.ts';
import { meterSvg } from '../../reports/index.ts';
import { collectUnknown, type AlertView, type UnknownAlerts } from '../../monitoring/index.ts';
import {
  actionForm,
  chip,
  isolated,
  isolatedName,
  messageWithCommands,
  momentAway,
  pair,
  section,
  type Html,
  type PageLook,
} from './messages.ts';

const stateText = (state: string): string => (state === 'not-evaluated' ? 'not evaluated yet' : state);

const meterOf = ({ cells, tone, texts }: AlertView): Html => {
  const meter = cells.find((cell) => cell.meter !== undefined)?.meter;
  if (meter?.value === undefined) return html``;
  const { value, of, forecast } = meter;
  return html`${raw(
    meterSvg(
      { value, of, ...(forecast === undefined ? {} : { forecast }) },
      tone === 'bad' ? 'bad' : 'good',
      `${texts['spend'] ?? ''} of ${texts['amount'] ?? ''}`,
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

const whatToDo = (hint: string): Html => html`<p><i>What to do:</i> ${messageWithCommands(hint)}</p>`;

const alertItem = (alert: AlertView, look: PageLook): Html => {
  const { account, state, tone, scope, cells, texts, mute, acknowledged, firing, zone, evaluatedAt } = alert;
  const { reason, hint } = texts;
  const key = [
    ['alert', alert.alert],
    ['account', account],
  ] as const;
  return html`<li class="${firing.length > 0 && mute === undefined ? 'hurt' : ''}">
    <h3>
      ${isolated(alert.alert)} ${chip(stateText(state), tone)}
      ${mute === undefined ? '' : chip('muted', 'quiet')}
      ${acknowledged === undefined ? '' : chip('acknowledged', 'quiet')}
      <small>${isolated(scope ?? account)}</small>
    </h3>
    ${meterOf(alert)}
    <dl>
      ${cells.map(({ title, text, of }) =>
        text === undefined ? '' : pair(title, isolated(of === undefined ? text : `${text} of ${of}`)),
      )}
      ${firingText(alert)}
      ${
        mute === undefined
          ? ''
          : pair('Muted', html`until ${formatSlot(mute.until, zone)}, by ${isolated(mute.by)}`)
      }
      ${acknowledged === undefined ? '' : pair('Acknowledged', html`by ${isolated(acknowledged.by)}`)}
      ${evaluatedAt === undefined ? '' : pair('Evaluated', momentAway(evaluatedAt, look, zone))}
    </dl>
    ${reason === undefined ? '' : html`<p class="quiet">${isolated(reason)}</p>`}
    ${hint === undefined || texts['spend'] !== undefined ? '' : whatToDo(hint)}
    <div class="actions">
      ${firing.length > 0 && acknowledged === undefined ? actionForm('acknowledge', 'Acknowledge', key, look) : ''}
      ${
        mute === undefined
          ? actionForm('mute', 'Mute for a day', [...key, ['days', '1']], look)
          : actionForm('unmute', 'Unmute', key, look)
      }
    </div>
  </li>`;
};

/** Keeps the line readable; `alerts --json` has all names. */
const maxNames = 8;

const namesOf = ({ alerts }: UnknownAlerts, accounts: boolean): Html => {
  const more = alerts.length - maxNames;
  const names = alerts
    .slice(0, maxNames)
    .map(
      ({ account, alert }, at) =>
        html`${at === 0 ? '' : ', '}${isolatedName(accounts ? `${account}/${alert}` : alert)}`,
    );
  return html`${names}${more > 0 ? ` and ${more} more` : ''}`;
};

/** Alerts without an item of their own can still be muted. */
const muteForms = ({ alerts }: UnknownAlerts, look: PageLook): Html =>
  look.csrf === undefined
    ? html``
    : html`<details>
        <summary>Mute one of them</summary>
        <ul>
          ${alerts.map(
            ({ account, alert }) =>
              html`<li>
                ${isolated(alert)}
                ${actionForm(
                  'mute',
                  'Mute for a day',
                  [
                    ['alert', alert],
                    ['account', account],
                    ['days', '1'],
                  ],
                  look,
                )}
              </li>`,
          )}
        </ul>
      </details>`;

const unknownItem = (unknown: UnknownAlerts, accounts: boolean, look: PageLook): Html => {
  const { alerts, reason, hint } = unknown;
  return html`<li>
    <h3>${alerts.length} alerts ${chip('unknown', 'warn')}</h3>
    <p>${isolated(reason)}: ${namesOf(unknown, accounts)}</p>
    ${hint === undefined ? '' : whatToDo(hint)} ${muteForms(unknown, look)}
  </li>`;
};

/** Firing alerts first, those that are unknown for one reason as one item at the end. */
export const alertsSection = (alerts: readonly AlertView[], look: PageLook): Html => {
  if (alerts.length === 0) return html``;
  const { collected, alone } = collectUnknown(alerts);
  const accounts = new Set(alerts.map(({ account }) => account)).size > 1;
  const isFiring = ({ firing }: AlertView): number => (firing.length > 0 ? 0 : 1);
  return section(
    'Budgets and alerts',
    html`<ul>
      ${alone
        .toSorted((one, other) => isFiring(one) - isFiring(other))
        .map((alert) => alertItem(alert, look))}
      ${collected.map((one) => unknownItem(one, accounts, look))}
    </ul>`,
  );
};
