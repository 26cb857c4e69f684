import {
  fault,
  isFault,
  readReason,
  systemCode,
  type Fault,
  type FaultOptions,
  type SecretRegistry,
} from '../../core/index.ts';

/** A retry may succeed. */
export const failed = (message: string, options: FaultOptions = {}): Fault =>
  fault('sink-failed', message, options);

/** A retry cannot succeed before a person changes something. */
export const refused = (message: string, options: FaultOptions = {}): Fault =>
  fault('sink-refused', message, options);

/** Tokens that no registry contains, such as the previous key. */
const tokenLike = /\b(?:sk-|hvs\.|hvb\.|s\.|ghp_|xox[a-z]-|AKIA|eyJ)[A-Za-z0-9_.-]{12,}/g;

const longest = 300;

/** Text from another program, on one line and without secrets. */
export const errorText = (text: string, secrets: SecretRegistry): string =>
  secrets
    .redact(text)
    .replaceAll(tokenLike, '[secret]')
    .replaceAll(/[\s\p{Cc}]+/gu, ' ')
    .trim()
    .slice(0, longest);

/** System errors that persist until a person acts. */
const lasting = new Set([
  'EACCES',
  'EPERM',
  'EROFS',
  'EBUSY',
  'EXDEV',
  'ENOTDIR',
  'EISDIR',
  'ELOOP',
  'ENAMETOOLONG',
  'EFTYPE',
  'EFBIG',
]);

const adviceFor: Readonly<Record<string, string>> = {
  ENOSPC: 'free space on the volume; the previous contents are unchanged',
  EDQUOT: 'free space or raise the quota; the previous contents are unchanged',
  EROFS: 'mount the volume writable; `tollkeeper doctor` names its folder',
  EBUSY: 'mount the folder, not the single file: a file that is a mount point cannot be replaced',
  EACCES: 'give the user that Tollkeeper runs as write permission there',
  EPERM: 'give the user that Tollkeeper runs as write permission there',
};

export const fileFault = (doing: string, error: unknown): Fault => {
  if (isFault(error)) return error;
  const code = systemCode(error);
  const advice = code === undefined ? undefined : adviceFor[code];
  const options = { cause: error, advice };
  const message = `${doing}: ${readReason(error)}`;
  return code !== undefined && lasting.has(code) ? refused(message, options) : failed(message, options);
};
