import { countText, formatSlot, type UnixMillis } from '../../core/index.ts';
import type { ConfigFault } from '../../config/index.ts';
import type { AlertBlock } from '../../reports/index.ts';
import type { Message, MessageDeps } from './message.ts';

export const configMessages = (
  { faults, at }: { readonly faults: readonly ConfigFault[]; readonly at: UnixMillis },
  { zone }: Pick<MessageDeps, 'zone'>,
): readonly Message[] => [
  {
    account: '',
    subject: [at, faults],
    title: `the new config has ${countText(faults.length, 'fault')}; the previous config remains active`,
    blocks: faults.map(({ file, line, column, message, advice }): AlertBlock => ({
      heading: `${file}:${line}:${column}`,
      tone: 'bad',
      lines: [
        ['Fault', message],
        ...(advice === undefined || advice.trim() === '' ? [] : [['What to do', advice] as const]),
      ],
    })),
    closing: [
      `Found ${formatSlot(at, zone)}. Jobs continue with the previous config. The new config is applied automatically once it is fixed.`,
      'Run `tollkeeper check` to validate the config.',
    ],
  },
];
