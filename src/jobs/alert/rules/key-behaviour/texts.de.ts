import type { BehaviourTexts } from './texts.ts';

export const german: BehaviourTexts = {
  title: (key, spend) => `Der Key ${key} wird genutzt wie nie zuvor: ${spend} in 24 Stunden`,
  what: ({ key, spend, usual }) =>
    `Der Key ${key} kostete in den letzten 24 Stunden ${spend}, üblich sind ${usual}. Kennt der Besitzer den Grund nicht, kann der Key in fremde Hände gelangt sein.`,
  newModels: (models) => `Modelle, die er nie zuvor aufgerufen hat: ${models}.`,
  newHours: (hours) => `Tageszeiten (UTC), zu denen er nie zuvor aufgerufen hat: ${hours}.`,
  hours: (from, to) => `${from} bis ${to}`,
  advice: (target) =>
    'service' in target
      ? `Beim Besitzer nachfragen. Ist der Key in fremden Händen, ihn sofort ersetzen: \`tollkeeper keys rotate ${target.service} --now\` erstellt einen neuen Key und löscht diesen.`
      : `Beim Besitzer nachfragen. Ist der Key in fremden Händen, ihn sofort beenden: \`tollkeeper keys expire ${target.key}\`. Kein Job rotiert ihn, sein Nutzer braucht also einen neuen Key.`,
  noFurther: (word) =>
    `Zu diesem Key folgt keine weitere E-Mail, bis seine Kosten gefallen sind. \`tollkeeper alerts mute ${word} --until DATE\` schaltet die Benachrichtigungen stumm.`,
  recoveredTitle: (key) => `Der Key ${key} wird wieder wie zuvor genutzt`,
  recovered: (key) => `Die Kosten des Keys ${key} sind unter das Fünffache ihres Medians gefallen.`,
  measured: (months, alarms) =>
    `Wie oft das falsch ist: ${alarms} Meldungen ohne Leck in ${months} Monaten simulierter Keys.`,
  currentState: '`tollkeeper alerts` zeigt den aktuellen Stand.',
};
