import { z } from 'zod';
import { money, moneyOfDouble, zero, type Money } from '../../../../core/index.ts';
import { judgedStatus } from '../../judged.ts';
import type { FoundBehaviour } from './read-behaviour.ts';

const amount = z.string().transform(money);

/** A key that is used as it never was, as the last evaluation found it. Amounts are in the currency. */
const foundStatus = z.object({
  kind: z.literal('key-behaviour'),
  state: z.literal('unusual'),
  key: z.string(),
  /** The service that manages the key. */
  service: z.string().optional(),
  currency: z.string(),
  /** Of the last 24 hours, and the median of 24 hours before. */
  spend: amount,
  usual: amount,
  newModels: z.array(z.string()),
  /** Of the day, UTC. */
  newHours: z.array(z.int()),
  /** Seconds UTC. */
  since: z.int(),
});

export type BehaviourStatus = z.output<typeof foundStatus>;

export const behaviourStatus = z.union([foundStatus, judgedStatus]);

const shown = (value: number): Money => moneyOfDouble(value, 6) ?? zero;

export const behaviourStatusOf = (found: FoundBehaviour): BehaviourStatus => ({
  kind: 'key-behaviour',
  state: 'unusual',
  key: found.key,
  ...(found.service === undefined ? {} : { service: found.service }),
  currency: found.currency,
  spend: shown(found.spend),
  usual: shown(found.usual),
  newModels: [...found.newModels],
  newHours: [...found.newHours],
  since: found.since,
});
