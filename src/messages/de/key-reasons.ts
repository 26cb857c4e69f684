import { exactSpanOf, spanOf, startOfMinute, toMillis, type Money } from '../../core/index.ts';
import type {
  ClockProblem,
  ExpiryNotice,
  HoldFacts,
  KeyMatter,
  OldKeyEnd,
  RetainReason,
  RetainFacts,
} from '../../keys/index.ts';
import type { KeyFacts } from '../key-texts.ts';
import { counted, dative, span } from './dates.ts';

export const comma = (amount: Money): string => amount.replace('.', ',');
/** `a, b und c` */
export const both = (items: readonly string[]): string => items.join(', ').replace(/, ([^,]*)$/, ' und $1');
export const calls = (count: number): string => counted(count, 'Aufruf', 'Aufrufe');
export const states = {
  deleted: 'gelöscht',
  expired: 'abgelaufen',
  disabled: 'deaktiviert',
  exhausted: 'aufgebraucht',
};

type Held = Extract<KeyMatter, { event: 'held' }>;

export const heldTitle = ({ name, why: { reason }, escalated, isTimed }: Held): string => {
  if (escalated === true)
    return `Der alte Key ${name} kann nicht stillgelegt werden, und max_overlap ist abgelaufen`;
  if (reason === 'clock-skew') return 'Abweichende Uhren verhindern das Löschen alter Keys';
  if (reason === 'place-undeclared' || reason === 'sink-holds-it')
    return `Der alte Key ${name} bleibt erhalten: Eine Anwendung verwendet ihn möglicherweise noch`;
  if (isTimed !== true) return `Der alte Key ${name} bleibt erhalten`;
  return reason === 'used'
    ? `Der alte Key ${name} ist noch in Gebrauch und läuft bald ab`
    : `Der alte Key ${name} läuft bald ab, und sein Nachfolger funktioniert nicht`;
};

const usedText = (
  name: string,
  { use, names, quota }: Extract<HoldFacts, { reason: 'used' }>,
  at: KeyFacts['at'],
): string => {
  if (quota !== undefined)
    return `${name} ist noch in Gebrauch: Sein Kontingent ist von ${comma(quota.from)} auf ${comma(quota.to)} gesunken, seit er als ungenutzt galt.`;
  const under =
    names.length === 0 ? '' : ` unter ${names.length === 1 ? 'dem Namen' : 'den Namen'} ${both(names)}`;
  const models = use.models.slice(0, 5).map((one) => `${one.model} (${one.calls.toLocaleString('de')})`);
  const more = use.models.length - models.length;
  const listed = [...models, ...(more > 0 ? [counted(more, 'weiteres Modell', 'weitere Modelle')] : [])].join(
    ', ',
  );
  const last = use.lastCall === undefined ? '' : `, zuletzt am ${at(toMillis(use.lastCall))}`;
  return `${name} ist noch in Gebrauch${under}: ${calls(use.calls)}${last}${listed === '' ? '' : `; Modelle: ${listed}`}.`;
};

export const endText = (ends: OldKeyEnd, at: KeyFacts['at']): string =>
  ends.kind === 'at'
    ? `Er läuft am ${at(toMillis(ends.at))} ab; danach schlagen Aufrufe mit ihm fehl.`
    : `Er endet nach ${dative(spanOf(ends.quiet))} ohne Aufruf, frühestens am ${at(startOfMinute(ends.from))}.`;

const clockText = (problem: ClockProblem, at: KeyFacts['at']): string => {
  if (problem.kind === 'contradicted')
    return problem.by > 0
      ? `Der Date-Header des Gateways und die Erstellungszeiten seiner Keys weichen um ${span(exactSpanOf(problem.by))} voneinander ab, und das gespeicherte Aufruf-Log zeigt noch nicht, welche der beiden Uhren Aufrufe stempelt. Bis es den ersten Aufruf mit dem neuesten Key enthält, wird kein Key gelöscht.`
      : 'Der Date-Header des Gateways widerspricht den Erstellungszeiten seiner Keys oder widersprach ihnen, bevor er sprang, und das gespeicherte Aufruf-Log zeigt nicht, welche der beiden Uhren Aufrufe stempelt. Bis es den ersten Aufruf mit einem neueren Key enthält oder der Header mit der Uhr dieses Hosts übereinstimmt, wird kein Key gelöscht.';
  return problem.kind === 'log-behind'
    ? `Die Uhr des Aufruf-Logs geht um mindestens ${span(exactSpanOf(problem.by))} nach: Der erste Aufruf mit dem neuen Key ist um so viel früher gestempelt, als der Key erstellt wurde. Bis die Uhr stimmt, wird kein Key gelöscht.`
    : `Die Uhr des Gateways geht gegenüber der Uhr dieses Hosts um ${span(exactSpanOf(Math.abs(problem.offset)))} ${problem.offset < 0 ? 'nach' : 'vor'} (gemessen am ${at(problem.measuredAt)}). Bis beide übereinstimmen, wird kein Key gelöscht.`;
};

export const heldText = ({ name, why }: Held, { word, at }: KeyFacts): string => {
  switch (why.reason) {
    case 'used':
      return usedText(name, why, at);
    case 'successor-unused':
      return `Mit ${why.successor} gab es seit der Umstellung keinen Aufruf: Es ist unbekannt, ob eine Anwendung den Key verwendet.`;
    case 'successor-dead':
      return `${why.successor}, der an allen Ablageorten liegt, ist ${states[why.state]}. Dies am Gateway beheben oder mit \`tollkeeper keys give-up\` und \`tollkeeper keys rotate\` einen anderen Key verteilen; bis dahin funktioniert nur ${name}.`;
    case 'log-incomplete':
      return `Das Aufruf-Log ist unvollständig (${why.why}). Für dieses \`quiet\` darf es höchstens ${span(exactSpanOf(why.lag))} zurückliegen: \`pull-logs\` mindestens alle ${span(exactSpanOf(why.lag / 2))} ausführen.`;
    case 'name-shared':
      return `${
        why.shared === undefined
          ? `Andere Keys trugen seit der Umstellung einen Namen von ${name} oder ${why.successor} (IDs ${why.ids.join(', ')})`
          : `${name} und ${why.successor} trugen seit der Umstellung beide den Namen ${why.shared}`
      }: Aufrufe im Log lassen sich keinem Key zuordnen.`;
    case 'clock-skew':
      return `${clockText(why.problem, at)} Danach werden Löschungen automatisch fortgesetzt.`;
    case 'place-undeclared':
      return why.places.length === 1
        ? `${both(why.places)} enthält den Key möglicherweise noch, und kein Job deklariert diesen Ablageort mehr. Ihn wieder unter \`deliver\` deklarieren oder mit \`tollkeeper keys give-up ${word} --forget-places\` bestätigen, dass dort keine Anwendung den Key verwendet.`
        : `${both(why.places)} enthalten den Key möglicherweise noch, und kein Job deklariert diese Ablageorte mehr. Sie wieder unter \`deliver\` deklarieren oder mit \`tollkeeper keys give-up ${word} --forget-places\` bestätigen, dass dort keine Anwendung den Key verwendet.`;
    default:
      return `${both(why.places)} ${why.places.length === 1 ? 'enthält' : 'enthalten'} ${why.successor} nicht mehr. Das ursprüngliche Ablaufdatum von ${name} gilt wieder, bis ${why.successor} an allen Ablageorten liegt.`;
  }
};

export const retainTexts: Readonly<
  Record<RetainReason, (facts: RetainFacts, name: string, at: KeyFacts['at']) => string>
> = {
  ambiguous: ({ ids = [] }, name) =>
    `${ids.length} Keys heißen ${name} (IDs ${ids.join(', ')}), und es ist unbekannt, welchen davon Tollkeeper angefordert hat.`,
  'not-ours': ({ why }) =>
    why === undefined
      ? 'Das Journal enthält keine Anforderung dieses Keys.'
      : `Er ist nicht der Key, den Tollkeeper angefordert hat (${why}).`,
  'sinks-undeclared': () => 'Kein Job deklariert die Ablageorte, für die er erstellt wurde.',
  'sink-holds-it': ({ sink = '' }) => `Er liegt an einem Ablageort (${sink}).`,
  'sink-unreadable': ({ sink = '', why = '' }) =>
    `Ein Ablageort, der ihn enthalten kann, lässt sich nicht zurücklesen (${sink}: ${why}).`,
  'sink-unknown': ({ sink = '' }, name) =>
    `Ein Ablageort enthält einen Key, den das Journal nicht kennt und der ${name} sein kann (${sink}).`,
  'sink-failed': ({ sink = '', why = '' }) => `Ein Ablageort konnte nicht gelesen werden (${sink}: ${why}).`,
  used: ({ calls: number = 0 }) => `Das Aufruf-Log enthält ${calls(number)} mit diesem Key.`,
  'log-incomplete': ({ until, why }, _, at) =>
    `Seine Nutzung ist unbekannt, bis das Aufruf-Log bis zum ${until === undefined ? '' : at(toMillis(until))} vollständig ist${why === undefined ? '' : ` (${why})`}.`,
};

export const standingOf = (
  { old }: Extract<KeyMatter, { event: 'step-failed' }>,
  service: string,
): string => {
  if (old === undefined)
    return 'Der neue Key liegt an allen Ablageorten; der alte Key wird nicht gelöscht, bevor dieser Schritt gelingt.';
  const { state, name } = old;
  if (state === 'none') return `Für ${service} gibt es keinen anderen Key.`;
  if (state === 'works') return 'Der alte Key ist unverändert und funktioniert.';
  return state === 'gone'
    ? `Der alte Key ${name} existiert nicht mehr.`
    : `Der alte Key ${name} ist ${states[state]}.`;
};

const clocks = {
  age: 'erstellt am',
  idle: 'nicht verwendet seit dem',
  expired: 'abgelaufen am',
  exhausted: 'aufgebraucht und nicht verwendet seit dem',
};

/** A notice to the owner of a key. */
export const noticeText = (notice: ExpiryNotice, at: KeyFacts['at']): string => {
  if (notice.kind === 'expires')
    return `Der Key läuft am ${at(toMillis(notice.at))} ab (Hinweis ${span(spanOf(notice.before))} vor dem Ablauf).`;
  const { job, clock, began, isLonger, expires, deletes, evenIfUsed } = notice;
  const since =
    began === undefined ? '' : ` (${clocks[clock]} ${at(began)}${isLonger ? ' oder länger' : ''})`;
  const then = [
    ...(expires === undefined ? [] : [`läuft frühestens in ${dative(spanOf(expires))} ab`]),
    ...(deletes === undefined ? [] : [`wird frühestens in ${dative(spanOf(deletes))} gelöscht`]),
  ];
  return `Der Job ${job} beendet den Key${since}${then.length === 0 ? '' : `: Er ${both(then)}${evenIfUsed ? '' : ', sofern er nicht verwendet wird'}`}.`;
};
