import type { BudgetTexts } from './texts.ts';

const scopes = { team: 'Team', service: 'Service', keys: 'Keys', model: 'Modell' };

export const german: BudgetTexts = {
  scope: (scope) => {
    if (scope.kind === 'account') return 'gesamtes Konto';
    return `${scope.kind === 'tag' ? scope.tag : scopes[scope.kind]} ${scope.name}`;
  },
  ofAccount: (scope, account) => `${scope} (Konto ${account})`,
  period: (range, zone) => `${range} (${zone})`,
  level: (on, label) => `${on === 'actual' ? 'Kosten' : 'Prognose'} ${label}`,
  moreThanNothing: 'mehr als 0\u00A0%',
  share: ({ amount, percent, budget, atLeast }) =>
    `${atLeast ? 'mindestens ' : ''}${amount} (${percent} von ${budget})`,
  title: (budget, on, share) => `Budget ${budget}: ${on === 'forecast' ? 'Prognose ' : ''}${share}`,
  exceeded: ({ on, share, over, threshold }) => {
    const [subject, lies, has] =
      on === 'actual'
        ? ['Die Kosten betragen', 'liegen', 'haben']
        : ['Die Prognose für den Zeitraum beträgt', 'liegt', 'hat'];
    return over === undefined
      ? `${subject} ${share} und ${has} die Schwelle von ${threshold} erreicht.`
      : `${subject} ${share} und ${lies} ${over} über der Schwelle von ${threshold}.`;
  },
  also: (on, threshold, isShare) =>
    `${threshold}${isShare ? ' des Budgets' : ''} (${on === 'actual' ? 'Kosten' : 'Prognose'})`,
  outlook: {
    ended: 'Der Zeitraum ist abgelaufen.',
    tooEarly: 'Noch keine Prognose: Das Aufruf-Log umfasst weniger als sieben Tage.',
    none: 'Mit den vorhandenen Daten ist keine Prognose möglich.',
    expected: ({ method, days, amount, low, high, range, end, difference, isOver }) =>
      `${method === 'pace' ? `Beim Durchschnitt ${days === 1 ? 'des letzten Tages' : `der letzten ${days} Tage`}` : 'Nach Wochentagen, Niveau und Trend'} erreichen die Kosten bis ${end} voraussichtlich ${amount} (${range === 'interval' ? 'mit 80 % Wahrscheinlichkeit ' : ''}zwischen ${low} und ${high}): ${difference === undefined ? 'genau das Budget' : `${difference} ${isOver ? 'über' : 'unter'} dem Budget`}.`,
  },
  operatorAdvice: (word) =>
    `Ermitteln, wer die hier genannten Modelle und Services nutzt, oder das Budget erhöhen. \`tollkeeper alerts mute ${word} --until DATE\` schaltet die Benachrichtigungen stumm, \`tollkeeper alerts ack ${word}\` vermerkt die Meldung als gesehen.`,
  ownerAdvice: (operators) =>
    `Entspricht diese Nutzung den Erwartungen?${operators === '' ? '' : ` Änderungen am Budget oder an den Empfängern sind möglich über ${operators}.`}`,
  noFurther:
    'Zu diesen Schwellen folgt nur dann eine weitere E-Mail, wenn der Wert sie wieder unterschreitet.',
  allBudgets: '`tollkeeper alerts` zeigt alle Budgets.',
  recovered: {
    title: (budget, share) =>
      `Budget ${budget} liegt wieder unter der Schwelle${share === undefined ? '' : `: ${share}`}`,
    what: (levels, on) =>
      `Nicht mehr erreicht: ${levels}. ${on === 'actual' ? 'Das Gateway hat Kosten berichtigt oder erstattet, oder das Budget wurde erhöht.' : 'Die Prognose ist gesunken; die Kosten haben die Schwelle nicht erreicht.'}`,
    now: (share) => `Die Kosten betragen ${share}.`,
  },
  models: 'Modelle',
  services: 'Services',
  others: (count) => `${count} weitere`,
  unknown: {
    title: (budgets) =>
      `Der Status ${budgets === 1 ? 'eines Budgets' : `von ${budgets} Budgets`} ist unbekannt`,
    reasons: {
      'no-data': () => ({
        what: 'Es wurde noch kein Aufruf-Log abgerufen',
        toDo: 'Den Job der Art pull-logs ausführen; `tollkeeper status` zeigt seinen letzten Lauf.',
      }),
      stale: ({ reaches, needed }, { at }) => ({
        what: `Das Aufruf-Log reicht bis zum ${at(reaches)}; benötigt werden Daten bis zum ${at(needed)}`,
        toDo: 'Prüfen, warum das Aufruf-Log verspätet ist: `tollkeeper status` zeigt den letzten Lauf des Jobs der Art pull-logs.',
      }),
      unit: (_, { account }) => ({
        what: 'Die Einheit der Beträge ist nicht belegt',
        toDo: `gateway.amounts beim Konto ${account} auf currency oder units setzen oder abwarten, bis die Daten die Einheit belegen.`,
      }),
      'no-calls': ({ nearest }, { scope }) => ({
        what: `Das Aufruf-Log enthält keinen Aufruf im Bereich „${scope}“`,
        toDo:
          nearest === undefined
            ? 'Den Namen im Budget prüfen: `tollkeeper report spend-summary` listet Modelle und Keys unter den Namen auf, die das Gateway verwendet.'
            : `Den Namen im Budget prüfen. Ist ${nearest} gemeint?`,
      }),
      'starts-late': ({ starts }, { at }) => ({
        what: `Das Aufruf-Log beginnt am ${at(starts)}, nach dem Beginn des Zeitraums; die Kosten sind ein Mindestwert`,
        toDo: 'since im Job der Art pull-logs auf einen früheren Tag setzen.',
      }),
      'unreadable-rows': ({ rows }) => ({
        what: `${rows === 1 ? '1 Zeile des Zeitraums konnte' : `${rows.toLocaleString('de')} Zeilen des Zeitraums konnten`} nicht gelesen werden; die Kosten sind ein Mindestwert`,
        toDo: '`tollkeeper doctor` zeigt die Zeilen und warum sie nicht lesbar sind.',
      }),
      'missing-rows': () => ({
        what: 'Im Aufruf-Log fehlen Kosten; die Summe ist ein Mindestwert',
        toDo: '`tollkeeper reconcile` vergleicht alle Quellen mit dem Aufruf-Log.',
      }),
    },
    sentence: (what) => `${what}.`,
    known: ({ amount, through, percent, budget }) =>
      `Die Kosten bis zum ${through} betragen mindestens ${amount}, das sind ${percent} des Budgets von ${budget}.`,
    closing:
      'Bis dahin werden die Schwellen nicht ausgewertet. Die nächste E-Mail folgt, wenn der Status wieder bekannt ist.',
    recoveredTitle: 'Der Status aller Budgets ist wieder bekannt',
    recovered: (account) => `Alle Budgets des Kontos ${account} werden wieder ausgewertet.`,
  },
};
