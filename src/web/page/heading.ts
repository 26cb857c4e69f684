import { sizeText } from '../../core/index.ts';
import { html } from 'hono/html';
import type { PageView } from '../page-view.ts';
import type { StatusView } from '../status-view.ts';
import { needsPerson } from '../needs-person.ts';
import { command, momentAway, isolated, section, type Html, type PageLook } from './messages.ts';

const firingLine = (alerts: PageView['alerts']): readonly string[] => {
  const firing = alerts.filter(
    (one) => one.firing.length > 0 && one.mute === undefined && one.acknowledged === undefined,
  );
  return firing.length === 0
    ? []
    : [`${firing.length === 1 ? 'alert' : 'alerts'} firing: ${firing.map(({ alert }) => alert).join(', ')}`];
};

export const verdictOf = ({ status, alerts }: PageView): Html => {
  const needed = [...needsPerson(status), ...firingLine(alerts)];
  return needed.length === 0
    ? html`<p class="verdict good">No problems found.</p>`
    : html`<div class="verdict bad" role="status">
        <strong>Action required</strong>
        <ul>
          ${needed.map((line) => html`<li>${isolated(line)}</li>`)}
        </ul>
      </div>`;
};

const daemonLine = ({ daemon, version }: StatusView, look: PageLook): Html =>
  daemon === undefined
    ? html`<p>No daemon is running; version ${version}.</p>`
    : html`<p>
        ${daemon.stopping ? 'The daemon is stopping; running' : 'The daemon has been running'} since
        ${momentAway(daemon.startedAt, look)}; version ${version}, pid
        ${daemon.pid}${daemon.replica === undefined ? '' : `, replica ${daemon.replica}`}.
      </p>`;

const replicaList = ({ replicas }: StatusView, look: PageLook): Html | '' =>
  replicas === undefined || replicas.length === 0
    ? ''
    : html`<p>Replicas:</p>
        <ul>
          ${replicas.map(
            ({ name, state, version, seenAt, differs }) =>
              html`<li>
                ${isolated(name)}: ${state}, version ${version}, heard of
                ${momentAway(seenAt, look)}${
                  differs.length === 0
                    ? ''
                    : html`;
                        <strong>differs from the one that works in ${isolated(differs.join(', '))}</strong>`
                }
              </li>`,
          )}
        </ul>`;

const backupLine = ({ data }: StatusView, look: PageLook): Html => {
  if (data?.backup === undefined)
    return html`<p>
      No backup has been taken; ${command('tollkeeper backup DIR')} or a job of kind backup takes one.
    </p>`;
  const { taken, restored } = data.backup;
  return html`<p>
    Newest backup ${momentAway(taken.takenAt, look)} in ${isolated(taken.target)}: ${sizeText(taken.bytes)},
    of which ${sizeText(taken.newBytes)} were new;
    ${
      restored === undefined
        ? 'never restored, which a job of kind restore-drill does'
        : html`restored and equal on ${momentAway(restored.drilledAt, look)}`
    }.
  </p>`;
};

export const stateOf = (status: StatusView, look: PageLook): Html => {
  const { faults, loadedAt, atNextStart } = status.config;
  return section(
    'Daemon',
    html`${daemonLine(status, look)}
      <p>Configuration loaded ${momentAway(loadedAt, look)}.</p>
      ${replicaList(status, look)} ${backupLine(status, look)}
      ${
        faults.length === 0
          ? ''
          : html`<div class="box hurt">
              <p>A newer configuration is invalid and was not applied; the one above remains active.</p>
              <ul>
                ${faults.map(
                  ({ file, line, column, message, advice }) =>
                    html`<li>
                      ${command(`${file}:${line}:${column}`)}
                      ${isolated(message)}${
                        advice === undefined ? '' : html`<br /><i>What to do:</i> ${isolated(advice)}`
                      }
                    </li>`,
                )}
              </ul>
            </div>`
      }
      ${atNextStart.length === 0 ? '' : html`<p>Takes effect at the next start: ${isolated(atNextStart.join(', '))}.</p>`}`,
  );
};
