import { fault, parseDuration, readMoment, toSeconds, unixMillis } from '../../core/index.ts';
import type { UnixMillis, UnixSeconds } from '../../core/index.ts';

/** A moment to come, as a person writes it: `2026-12-01`, `2026-12-01T08:00`, `+48h`. @throws Fault `wrong-use` */
export const momentToCome = (text: string, zone: string, now: UnixMillis): UnixSeconds => {
  const range = parseDuration(text.replace(/^\+/, ''));
  const moment = range === undefined ? readMoment(text, zone) : unixMillis(now + range);
  if (moment === undefined)
    throw fault('wrong-use', `${JSON.stringify(text)} is not a valid time`, {
      advice: `use 2026-12-01, 2026-12-01T08:00 (read in ${zone}), 2026-12-01T08:00Z, or +48h`,
    });
  if (moment < now)
    throw fault('wrong-use', `${text} is in the past`, { advice: 'specify a future time, such as +48h' });
  return toSeconds(moment);
};
