import { countText, toMillis, iso, isoOr } from '../../../core/index.ts';
import type { KeyListView, KeyView, RotationView } from '../../../app/index.ts';
import { attentionOf, byAttention, progressOf } from './attention.ts';
import { localMoment, timesIn } from '../../ui/moment.ts';
import type { Screen, Style } from '../../ui/paint.ts';
import { describeTries } from '../../ui/rotation-messages.ts';
import { tableLines, type Cell, type Row } from '../../ui/table.ts';
import { lines } from '../../ui/lines.ts';
import { clip, oneLine } from '../../ui/text.ts';
import { describeDuration } from '../../ui/messages.ts';

const cells = 10;

/** `████████░░`: progress towards the rotation or end. */
const barOf = (key: KeyView, now: number): Cell => {
  const progress = progressOf(key, now);
  if (progress === undefined) return { text: '-', style: 'quiet' };
  // Shows a full bar only at 100 %.
  const full = progress >= 1 ? cells : Math.min(cells - 1, Math.round(progress * cells));
  const style: Style = progress >= 1 ? 'bad' : progress >= 0.75 ? 'warn' : 'good';
  return { text: `${'█'.repeat(full)}${'░'.repeat(cells - full)}`, style };
};

const ageOf = ({ created }: KeyView, now: number): string =>
  created === undefined ? '?' : describeDuration(now - created * 1000);

const lastCallOf = ({ use }: KeyView, zone: string): string => {
  if (use === undefined) return '?';
  return use.lastCall === undefined ? 'none' : localMoment(toMillis(use.lastCall), zone);
};

const idleOf = (key: KeyView, { at, accounts }: KeyListView): string => {
  if (key.use === undefined) return '?';
  if (key.use.lastCall !== undefined) return describeDuration(at - key.use.lastCall * 1000);
  const since = accounts.find(({ account }) => account === key.account)?.since;
  if (since === undefined) return '?';
  // A key cannot be idle for longer than it exists.
  return key.created !== undefined && key.created > since
    ? describeDuration(Math.max(0, at - key.created * 1000))
    : `over ${describeDuration(at - since * 1000)}`;
};

const spendOf = ({ use, account }: KeyView, { accounts }: KeyListView): string => {
  if (use?.spend === undefined) return use?.calls === 0 ? '0' : '?';
  const currency = accounts.find((one) => one.account === account)?.currency;
  return `${use.spend} ${currency ?? ''}`.trim();
};

const rowOf = (key: KeyView, view: KeyListView, screen: Screen, wide: boolean): Row => {
  const { at, zone } = view;
  const name = oneLine(key.name) === '' ? '(no name)' : oneLine(key.name);
  const service = `${oneLine(key.service)} g${key.generation}${key.known ? '' : '?'}`;
  const short = (text: string): string =>
    screen.width === undefined || wide ? text : clip(text, Math.max(12, Math.floor(screen.width / 4)));
  return {
    cells: [
      short(name),
      String(key.keyId),
      ...(view.accounts.length > 1 ? [key.account] : []),
      short(service),
      ageOf(key, at),
      ...(screen.width === undefined ? [] : [barOf(key, at)]),
      typeof key.expires === 'string' ? key.expires : localMoment(toMillis(key.expires), zone),
      lastCallOf(key, zone),
      idleOf(key, view),
      spendOf(key, view),
    ],
    below: attentionOf(key, at, zone).map(({ message, style }) => ({ text: message, style })),
  };
};

const watermarkLines = ({ accounts, at, zone }: KeyListView, screen: Screen): readonly string[] =>
  accounts.flatMap(({ account, since, through }) => {
    const duration = describeDuration(at - since * 1000);
    const message =
      through === undefined
        ? `use of ${account}: the call log may be incomplete over the last ${duration}; ? means unknown`
        : `use of ${account}: the last ${duration}, call log complete until ${localMoment(toMillis(through), zone)}`;
    return lines(message, 0, screen, 'quiet');
  });

const otherRotations = ({ rotations, keys }: KeyListView): readonly RotationView[] => {
  const shown = new Set(keys.map(({ rotation }) => rotation?.id));
  return rotations.filter(({ id }) => !shown.has(id));
};

/** `1 of 13 keys needs attention` */
const endOf = (all: number, needing: number): string => {
  const keys = countText(all, 'key');
  if (needing === 0) return keys;
  return `${all === 1 ? '' : `${needing} of `}${keys} ${needing === 1 ? 'needs' : 'need'} attention`;
};

/** Sorted by urgency, with the reason below each key; `wide` shows every column on any terminal. */
export const renderKeys = (view: KeyListView, screen: Screen, wide = false): string => {
  const rest = otherRotations(view).flatMap((state) => {
    const tries = describeTries(state, view.at);
    const { service, stage, message } = state;
    return lines(
      `${service}: rotation (${stage}): ${message}${tries === undefined ? '' : ` (${tries})`}`,
      0,
      screen,
    );
  });
  if (view.keys.length === 0) return `${['no keys', ...rest].join('\n')}\n`;
  const needing = view.keys.filter((key) =>
    attentionOf(key, view.at, view.zone).some(({ rank }) => rank < 7),
  ).length;
  const table = tableLines(
    [
      { title: 'KEY' },
      // Expiry, last use and cost matter most, so other columns are omitted first.
      { title: 'ID', spare: 5 },
      ...(view.accounts.length > 1 ? [{ title: 'ACCOUNT', spare: 6 }] : []),
      { title: 'SERVICE', spare: 8 },
      { title: 'AGE', spare: 4 },
      ...(screen.width === undefined ? [] : [{ title: 'TO ITS END', spare: 9 }]),
      { title: 'EXPIRES', spare: 3 },
      { title: 'LAST CALL', spare: 1 },
      { title: 'IDLE', spare: 7 },
      { title: 'SPEND', spare: 2 },
    ],
    byAttention(view.keys, view.at, view.zone).map((key) => rowOf(key, view, screen, wide)),
    wide ? { ...screen, width: Number.POSITIVE_INFINITY } : screen,
  );
  const end = endOf(view.keys.length, needing);
  return `${[...timesIn(view.zone, screen), ...watermarkLines(view, screen), ...table, ...rest, end].join('\n')}\n`;
};

const isoSeconds = (seconds: number | undefined): string | undefined =>
  seconds === undefined ? undefined : iso(seconds * 1000);

export const rotationJson = (state: RotationView) => ({
  ...state,
  since: iso(state.since),
  nextTry: isoOr(state.nextTry),
});

/** Times as ISO 8601 in UTC, amounts as exact decimal text; sorted like the text output. */
export const keysJson = (view: KeyListView) => ({
  at: iso(view.at),
  accounts: view.accounts.map(({ since, through, ...account }) => ({
    ...account,
    since: isoSeconds(since),
    through: isoSeconds(through),
  })),
  keys: byAttention(view.keys, view.at, view.zone).map((key) => ({
    ...key,
    created: isoSeconds(key.created),
    expires: typeof key.expires === 'string' ? key.expires : isoSeconds(key.expires),
    rotation: key.rotation === undefined ? undefined : rotationJson(key.rotation),
    use: key.use === undefined ? undefined : { ...key.use, lastCall: isoSeconds(key.use.lastCall) },
    attention: attentionOf(key, view.at, view.zone).map(({ message }) => message),
  })),
  rotations: view.rotations.map(rotationJson),
});
