import { fault, isFault, messageOf, type Fault, type FaultCode } from '../../core/index.ts';

/** DuckDB reports errors as text only; the first pattern that matches determines the code. */
const patterns: readonly (readonly [RegExp, FaultCode])[] = [
  [/Could not set lock on file|Conflicting lock/i, 'warehouse-locked'],
  [/No space left on device|Disk quota exceeded|max_temp_directory_size/i, 'disk-full'],
  [/Permission denied|Read-only file system|Operation not permitted/i, 'path-unwritable'],
  // A log that asks for too much memory is damaged, unless the limit is what it exceeds.
  [
    /Failure while replaying WAL(?!.*\b(could not allocate|failed to (pin|allocate|offload)))/i,
    'warehouse-unreadable',
  ],
  [/newer (database )?version|database file with version number|newer DuckDB/i, 'warehouse-newer'],
  [
    /not a valid DuckDB database|Corrupt|Is a directory|Failed to (load metadata|deserialize)|checksum/i,
    'warehouse-unreadable',
  ],
  [/^INTERRUPT/i, 'aborted'],
];

/** The process that holds the file lock, if the error message names it. */
export const lockHolder = (message: string): number | 'unknown' | undefined => {
  if (!/Conflicting lock/i.test(message)) return undefined;
  // A process of another container has no number here.
  const id = Number(/\(PID (\d+)\)/.exec(message)?.[1] ?? 0);
  return id > 0 ? id : 'unknown';
};

const summary = (code: FaultCode, path: string, message: string): string => {
  const holder = lockHolder(message);
  if (code === 'warehouse-locked')
    return `${path} is in use by another process${typeof holder === 'number' ? ` (process id ${holder})` : ''}`;
  // A file other than the database may be on another volume, which the message must name.
  if ((code === 'disk-full' || code === 'path-unwritable') && /"\/[^"]+"/.test(message)) return message;
  return `${path}: ${withoutErrorClass(message)}`;
};

/** The message without the class of the error, such as `TransactionContext Error: `, which says nothing to people. */
export const withoutErrorClass = (message: string): string =>
  message.replace(/^(?:[A-Z][A-Za-z]+ )+Error: /, '');

/** The catalogue's error for whatever DuckDB threw; faults pass through as they are. */
export const engineFault = (error: unknown, path: string): Fault => {
  if (isFault(error)) return error;
  const message = messageOf(error).split('\n')[0] ?? '';
  // Files of the archive and the spool can be cut too.
  const isCut = /Could not read enough bytes/i.test(message) && message.includes(`"${path}"`);
  const known = patterns.find(([pattern]) => pattern.test(message))?.[1];
  const code = isCut ? 'warehouse-unreadable' : (known ?? 'warehouse-failed');
  const advice = /Out of Memory/i.test(message) ? { advice: 'raise warehouse.memory_limit' } : {};
  return fault(code, summary(code, path, message), { cause: error, ...advice });
};
