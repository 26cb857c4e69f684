/** The same with each text in it redacted by itself: what escaping does to a secret would hide it from redaction. */
export const redacted = <T>(value: T, redact: (text: string) => string): T =>
  JSON.parse(
    JSON.stringify(value, (_, part: unknown) => (typeof part === 'string' ? redact(part) : part)),
  ) as T;
