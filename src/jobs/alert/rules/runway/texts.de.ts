import type { Reserve, RunwayTexts } from './texts.ts';

const reserve = ({ kind, name }: Reserve): string =>
  kind === 'runway' ? `Guthaben von ${name}` : `Kontingent des Keys ${name}`;

export const german: RunwayTexts = {
  title: (of, days) => `Das ${reserve(of)} reicht noch ${days} Tage`,
  days: (days, low, high) => `${days} Tagen (${low} ${high === undefined ? 'oder mehr' : `bis ${high}`})`,
  usedUp: (of, days) => `Beim aktuellen Verbrauch ist das ${reserve(of)} in ${days} aufgebraucht.`,
  lasts: (of, days) =>
    days === undefined
      ? `Derzeit wird nichts verbraucht; das ${reserve(of)} reicht unbegrenzt.`
      : `Beim aktuellen Verbrauch ist das ${reserve(of)} erst in ${days} aufgebraucht.`,
  left: (left, perDay) => `${left} in der Einheit des Gateways; der Verbrauch pro Tag beträgt ${perDay}`,
  advice: {
    runway:
      'Das Konto vor diesem Tag am Gateway aufladen. Sobald das Guthaben aufgebraucht ist, schlagen Aufrufe fehl.',
    key: 'Das Kontingent des Keys erhöhen oder den Key rotieren: Sobald das Kontingent aufgebraucht ist, schlagen Aufrufe mit diesem Key fehl.',
  },
  noFurther: (kind, word) =>
    `Zu dieser Stufe folgt keine weitere E-Mail, bis das ${kind === 'runway' ? 'Guthaben' : 'Kontingent'} gestiegen ist. \`tollkeeper alerts mute ${word} --until DATE\` schaltet die Benachrichtigungen stumm.`,
  recoveredTitle: (of) => `Das ${reserve(of)} reicht wieder aus`,
  currentState: '`tollkeeper alerts` zeigt den aktuellen Stand.',
};
