import type { FaultAdvice } from '../fault-advice.ts';

export const germanAdvice: FaultAdvice = {
  'report-unknown': 'Den Namen eines Ordners unter reports/ verwenden, der eine report.yaml enthält.',
  'gateway-unreachable': 'base_url, DNS, die Proxy-Einstellungen und die Firewall prüfen.',
  'gateway-certificate':
    'Die Zertifizierungsstelle mit tls.ca beim Konto ergänzen oder das Zertifikat des Gateways berichtigen; die Prüfung lässt sich nicht abschalten.',
  'gateway-timeout':
    'Das Gateway hat nicht rechtzeitig geantwortet: ein kürzeres Fenster oder ein längeres Timeout wählen.',
  'gateway-connection-lost':
    'Die Verbindung brach ab, und es wurde nichts gespeichert: den Lauf wiederholen.',
  'gateway-redirect':
    'base_url auf die endgültige Adresse setzen; der Admin-Key wird an keine andere Adresse gesendet.',
  'gateway-key-refused': 'admin_key prüfen: Er beginnt mit sk-admin- und darf nicht widerrufen sein.',
  'gateway-scope-missing': 'Einen Admin-Key mit der genannten Berechtigung ausstellen.',
  'gateway-not-found': 'Prüfen, ob base_url die Adresse des Gateways ohne Pfad ist.',
  'gateway-rate-limited': 'Warten oder weniger Jobs gleichzeitig ausführen.',
  'gateway-refused': 'Die zitierte Meldung stammt vom Gateway: die darin genannte Anfrage prüfen.',
  'gateway-server-error': 'Am Gateway ist ein interner Fehler aufgetreten: später wiederholen.',
  'gateway-http-error': 'base_url und das Log des Gateways prüfen.',
  'gateway-answer-unreadable':
    'Die Antwort entspricht nicht dem Vertrag des Gateways: base_url prüfen oder Anfrage und Antwort melden.',
  'gateway-answer-too-large': 'Die Antwort überschreitet ihre Größengrenze: base_url prüfen.',
  'gateway-keys-unsettled': 'Wiederholen, sobald weniger Keys erstellt und gelöscht werden.',
  'model-key-refused':
    'Einen API-Key verwenden, der weder abgelaufen noch aufgebraucht noch gelöscht ist; ein neuer Key wird erst nach einigen Minuten erkannt.',
  'model-unavailable':
    'Ein Modell verwenden, das dem Konto zur Verfügung steht, oder den Betreiber des Gateways fragen.',
  'model-call-refused': 'Die zitierte Meldung stammt vom Gateway: die darin genannte Eingabe berichtigen.',
  'key-spec-invalid': 'Es wurde nichts gesendet: Namen oder Ablaufdatum des Keys berichtigen.',
  'key-verify-refused':
    'Das Gateway akzeptiert den neuen Key nicht; der alte Key ist unverändert. Die zitierte Meldung stammt vom Gateway.',
  'key-verify-unclear': 'Der alte Key bleibt unverändert, bis der neue die Prüfung besteht.',
  'rotation-blocked': 'Den in der Meldung genannten nächsten Schritt ausführen.',
  'audit-damaged':
    'Key-Vorgänge sind ausgesetzt, bis die Prüfung gelingt: `tollkeeper keys audit --verify` zeigt die erste ungültige Zeile. Die Audit-Datei an einen anderen Ort verschieben und aufbewahren: Sie wird aus der Datenbank neu geschrieben, beim nächsten Key-Vorgang, mit `tollkeeper status` oder innerhalb von fünf Minuten, solange der Daemon läuft. Ist auch die Kette in der Datenbank beschädigt, Tollkeeper anhalten und audit/keys.jsonl und die Datenbank aus demselben Backup wiederherstellen.',
  'key-update-harmed':
    'Den Key in der Konsole des Gateways prüfen und die genannten Felder berichtigen; `tollkeeper doctor --probe-keys` stellt erneut fest, wie das Gateway Keys ändert.',
  'key-update-ineffective':
    'Das Gateway hat die Änderung angenommen, der Key ist aber unverändert: beim Betreiber klären, was der Admin-Key ändern darf.',
  'key-update-unsettled': 'Der Key wird erneut gelesen, bevor etwas anderes geschrieben wird.',
  'key-unit-unknown':
    '`tollkeeper doctor --probe-keys` ausführen, um die Einheit von remain_quota am Gateway festzustellen.',
  'key-quota-inexact':
    'Es wurde nichts gesendet: einen Betrag verwenden, den das Gateway exakt speichern kann.',
  'export-not-csv': 'Das Gateway hat nicht mit CSV geantwortet; seine Meldung ist zitiert.',
  'export-truncated': 'Der Export brach vorzeitig ab, und es wurde nichts gespeichert: den Lauf wiederholen.',
  'export-emptied':
    'Es wurde nichts entfernt: den Lauf wiederholen. Bleibt es dabei, beim Betreiber des Gateways klären, wo die Aufrufe sind.',
  'export-column-missing':
    'Dem Export fehlt eine erforderliche Spalte. Hat sie einen anderen Namen, ihn unter gateway.columns beim Konto zuordnen.',
  'export-row-invalid':
    'Die genannte Zeile passt nicht zur Kopfzeile; aus diesem Fenster wurde nichts gespeichert.',
  'export-amount-inexact':
    'Es wurde nichts gerundet und nichts gespeichert: Die Datenbank hat 12 Nachkommastellen. Schreibt das Gateway Gleitkommazahlen, gateway.round_amounts: 12 beim Konto setzen.',
  'export-amounts-changed':
    'Die Form der Beträge hat sich geändert: gateway.amounts beim Konto auf currency oder units setzen und den betroffenen Zeitraum erneut abrufen.',
  'export-currency-changed': 'Ein Konto hat eine Währung: für die andere Währung ein eigenes Konto anlegen.',
  'export-timestamp-unreadable':
    'gateway.timestamps beim Konto auf die Form setzen, die der Export verwendet; ein Datum wird nur mit dem Jahr an erster Stelle gelesen (2026-11-20 oder 2026/11/20).',
  'export-capped':
    'Das Gateway kürzt Exporte selbst für eine einzelne Sekunde: den Betreiber bitten, die Grenze anzuheben.',
  'usage-tail-cut': 'Das Gateway hat nur die größten Einträge geliefert: top_n erhöhen.',
  'usage-unit-changed':
    'Beim Betreiber des Gateways klären, in welcher Einheit der Nutzungsexport zählt; um ihn in der neuen zu behalten, den Job über seinen gesamten Zeitraum in einem Fenster ausführen.',
  'usage-layout-unknown':
    'Der Nutzungsexport hat einen unbekannten Aufbau: die genannte Datei aufbewahren und melden.',
  'disk-full':
    'Auf dem genannten Volume Speicherplatz freigeben; es wurden keine unvollständigen Daten gespeichert.',
  'path-unwritable': 'Dem Benutzer, unter dem Tollkeeper läuft, Schreibrechte für den Pfad geben.',
  'backup-foreign': 'Einen leeren Ordner wählen oder einen, den `tollkeeper backup` geschrieben hat.',
  'backup-inside': 'Einen Ordner außerhalb des Datenordners wählen, auf einem anderen Volume.',
  'backup-missing':
    'Einen lesbaren Ordner oder eine lesbare Datei angeben, die `tollkeeper backup` geschrieben hat.',
  'backup-newer': 'Die Version von Tollkeeper verwenden, die das Backup geschrieben hat, oder eine spätere.',
  'backup-damaged':
    'Ein anderes Backup verwenden, oder es erneut kopieren, falls es kopiert wurde. Dann diesen Datenträger prüfen und ein neues Backup erstellen: Es ersetzt beschädigte Teile, die seither unverändert sind.',
  'backup-identity': 'Die Identität eines der Empfänger verwenden, für die das Backup verschlüsselt ist.',
  'backup-source-changed': 'Etwas außerhalb von Tollkeeper ändert den Datenordner: das Backup wiederholen.',
  'memory-too-small':
    'Das Speicherlimit des Containers anheben oder mit warehouse.memory_limit das der Datenbank selbst festlegen.',
  'volume-lost':
    'Den Daemon neu starten: Er öffnet die Datenbank, die jetzt vorhanden ist. Was nach dem Verlust gespeichert wurde, kann fehlen.',
  'warehouse-failed': 'Siehe Ursache; von diesem Schritt wurde nichts gespeichert.',
  'lease-lost':
    'Keine Maßnahme erforderlich: Die Instanz, die das Konto übernommen hat, führt dessen Jobs fort.',
  'database-unreachable':
    'Prüfen, ob PostgreSQL läuft, ferner die Adresse in der URL der Datenbank, DNS und die Firewall; was nicht abgeschlossen wurde, ist nicht gespeichert.',
  'database-refused': 'Am Server oder in der URL der Datenbank berichtigen, was die Meldung nennt.',
  'archive-damaged':
    'Die genannte Datei aus einem Backup wiederherstellen. Ohne Backup den ganzen Monat in einem Fenster erneut abrufen (`tollkeeper run` mit dem Abruf-Job, --from und --to dieses Monats, UTC), falls das Gateway ihn noch hat.',
  'archive-unverified':
    'Die geschriebene Datei weicht von der Datenbank ab; in der Datenbank wurde nichts entfernt. Den Datenträger von warehouse.archive.path prüfen und den Job wiederholen.',
  'report-invalid': 'Die genannten Stellen im Ordner des Berichts berichtigen.',
  'report-query-failed': 'Das genannte SQL berichtigen; es darf nur ein SELECT enthalten.',
  'report-damaged':
    'Den genannten Ordner aus einem Backup wiederherstellen oder an einen anderen Ort verschieben; der Bericht des Slots wird dann neu erstellt.',
  'mail-not-configured': 'mail.smtp und mail.from in tollkeeper.yaml setzen.',
  'sink-failed':
    'Der alte Key ist unverändert und funktioniert. Der Schritt wird nach Zeitplan wiederholt; `tollkeeper keys` zeigt den Stand.',
  'sink-refused':
    'Den Ablageort oder seinen Eintrag unter deliver berichtigen; bis dahin ist der alte Key unverändert und funktioniert.',
  'command-failed': 'Die Ausgabe des Befehls prüfen und ihn von Hand ausführen.',
  'data-late':
    'Mit `tollkeeper runs` prüfen, warum die Jobs unter needs keine Daten liefern; needs_deadline und when_late steuern das Warten.',
  'process-ended':
    'Im Log nachlesen, warum der Prozess endete: Bei mehreren Instanzen kann eine andere übernommen haben. Wurde er aus Speichermangel beendet, das Speicherlimit des Containers anheben oder das Fenster des Jobs verkleinern und warehouse.memory_limit entfernen.',
  'run-stopped': 'Keine Maßnahme erforderlich: Der nächste Prozess wiederholt den Lauf sofort.',
  'job-suspended':
    'Ermitteln, warum der Prozess endete (Log, Speicherlimit des Containers, Log des Kernels; bei mehreren Instanzen, ob eine andere übernommen hat), die Ursache beheben und den Job manuell ausführen: Ein erfolgreicher Lauf setzt ihn fort.',
  aborted: 'Den Befehl wiederholen; nicht abgeschlossene Arbeit wurde nicht gespeichert.',
  'run-timeout': 'Das Timeout des Jobs erhöhen oder prüfen, warum seine Läufe so lange dauern.',
};
