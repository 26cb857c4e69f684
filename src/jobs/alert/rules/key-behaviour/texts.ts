/** The texts of mails about the use of keys; figures and moments are formatted. */
export type BehaviourTexts = {
  readonly title: (key: string, spend: string) => string;
  readonly what: (facts: { readonly key: string; readonly spend: string; readonly usual: string }) => string;
  readonly newModels: (models: string) => string;
  /** Ranges of hours, UTC. */
  readonly newHours: (hours: string) => string;
  readonly hours: (from: string, to: string) => string;
  /** `service` and `key` are words of a shell; a key that no service manages is expired. */
  readonly advice: (target: { readonly service: string } | { readonly key: string }) => string;
  readonly noFurther: (word: string) => string;
  readonly recoveredTitle: (key: string) => string;
  readonly recovered: (key: string) => string;
  /** How often such an alert was wrong. */
  readonly measured: (months: string, alarms: string) => string;
  readonly currentState: string;
};
