import type { UnusualOf, UnusualTexts } from './texts.ts';

const scope = ({ of, name }: UnusualOf): string =>
  ({ account: `Konto ${name}`, model: `Modell ${name}`, service: `Service ${name}` })[of];

export const german: UnusualTexts = {
  scope,
  heading: scope,
  title: (of, more) => `Ungewöhnliche Kosten, ${scope(of)}: ${more} mehr`,
  titleOfSeveral: (of, more, others) =>
    `Ungewöhnliche Kosten, ${scope(of)}: ${more} mehr, und ${others} ${others === 1 ? 'weiterer Bereich' : 'weitere Bereiche'}`,
  what: ({ of, window, spend, usual, more }) =>
    window === 'hour'
      ? `${scope(of)}: Einzelne Stunden kosteten ${spend}, ${more} mehr als die zu dieser Tageszeit üblichen ${usual}.`
      : `${scope(of)}: Die letzten 24 Stunden kosteten ${spend}, ${more} mehr als die üblichen ${usual}.`,
  cause: ({ calls, usualCalls, price, usualPrice }) =>
    `${calls} Aufrufe, üblich sind ${usualCalls}${price === undefined ? '' : `; ${price} pro Aufruf${usualPrice === undefined ? '' : `, üblich sind ${usualPrice}`}`}.`,
  contributions: (parts) => `Mehr als in der Vorwoche: ${parts}.`,
  part: (model, service, more) => `${more} ${model} durch ${service}`,
  advice: (word) =>
    `Prüfen, ob diese Nutzung beabsichtigt ist. Wenn ja, nimmt \`tollkeeper alerts expect --from DATE --reason TEXT\` die Tage vom Üblichen aus. \`tollkeeper alerts mute ${word} --until DATE\` schaltet die Benachrichtigungen stumm.`,
  noFurther: 'Dazu folgt keine weitere E-Mail, bis ein Tag ohne ungewöhnliche Kosten vergangen ist.',
  recoveredTitle: (of) => `Kosten wieder üblich: ${scope(of)}`,
  recovered: (of) => `${scope(of)}: In den letzten 24 Stunden gab es keine ungewöhnlichen Kosten.`,
  measured: (weeks, alarms) =>
    `Wie oft das falsch ist: ${alarms} grundlose E-Mails in ${weeks} Wochen simulierter Konten.`,
  currentState: '`tollkeeper alerts` zeigt den aktuellen Stand.',
};
