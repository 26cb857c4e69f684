import type { PriceTexts } from './texts.ts';

const of = (model: string, key: string | undefined): string =>
  key === undefined ? model : `${model} mit dem Key ${key}`;

export const german: PriceTexts = {
  title: {
    changed: (model) => `Der Preis von ${model} hat sich geändert`,
    unbilled: (model) => `Tokens von ${model} werden nicht mehr berechnet`,
    listed: (model) => `Der Preis von ${model} entspricht nicht der Konfiguration`,
    cache: (model) => `Eingabe aus dem Cache kostet bei ${model} so viel wie andere Eingabe`,
  },
  price: ({ name, before, after, change }) =>
    `\`${name}\` ${before} → ${after}${change === undefined ? '' : ` (${change})`}`,
  what: {
    changed: (model, key, prices) =>
      `Aufrufe von ${of(model, key)} werden zu anderen Preisen je Million Tokens berechnet: ${prices}.`,
    unbilled: (model, key, prices) =>
      `Tokens von ${of(model, key)}, die bisher etwas kosteten, sind jetzt kostenlos; je Million: ${prices}. Das Gateway kann sie nachberechnen.`,
    listed: (model, key, prices) =>
      `Aufrufe von ${of(model, key)} werden zu anderen Preisen je Million Tokens berechnet, als unter \`prices\` stehen: ${prices}.`,
    cache: (model, key, prices) =>
      `Bei ${of(model, key)} kostet eine Million Tokens aus dem Cache nicht weniger als andere Eingabe: ${prices} (ohne und mit Cache).`,
  },
  month: (amount, isMore) =>
    `Beim aktuellen Umfang sind das ${amount} ${isMore ? 'mehr' : 'weniger'} in 30 Tagen.`,
  advice: {
    changed: 'Beim Betreiber des Gateways nachfragen, ob das beabsichtigt ist, und dann `prices` anpassen.',
    unbilled:
      'Beim Betreiber des Gateways nachfragen: Eine spätere Korrektur dieser Kosten würde abgeschlossene Monate ändern.',
    listed: '`prices` anpassen oder beim Betreiber des Gateways nachfragen, warum er anders abrechnet.',
    cache:
      'Beim Betreiber des Gateways nachfragen, ob der Rabatt für Eingabe aus dem Cache weitergegeben wird.',
  },
  noFurther: (word) =>
    `Dazu folgt keine weitere E-Mail. \`tollkeeper alerts mute ${word} --until DATE\` schaltet die Benachrichtigungen zu diesem Modell stumm.`,
  recoveredTitle: (model) => `Der Preis von ${model} ist wieder wie erwartet`,
  recovered: (model) => `Aufrufe von ${model} zeigen das nicht mehr.`,
  measured: (months, alarms) =>
    `Wie oft das falsch ist: ${alarms} Meldungen ohne Änderung in ${months} Monaten simulierter Modelle.`,
  currentState: '`tollkeeper alerts` zeigt den aktuellen Stand.',
};
