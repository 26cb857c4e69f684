import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import {
  isFault,
  noProgress,
  silentLog,
  systemClock,
  unixSeconds,
  unknownGateway,
} from '../../../src/core/index.ts';
import { pullLogs } from '../../../src/ingest/index.ts';
import { openWarehouse } from '../../../src/warehouse/index.ts';
import type { Target } from '../target.ts';

const start = 1_767_225_600; // 2026-01-01T00:00:00Z
const header = 'created_at,type,model_name,token_name,prompt_tokens,completion_tokens,quota';

/** An export of the call log as one pull receives it. */
export const csv: Target = {
  grammar: {
    token: /"(?:[^"]|"")*"|[^",\r\n]+|\r?\n|[^]/g,
    words: [
      '"',
      '""',
      ',',
      '\n',
      '\r\n',
      '\r',
      '\0',
      '\uFEFF',
      ';',
      '\t',
      header,
      `${start},2,gpt-4o,growth,1,2,0.5\n`,
      '=cmd()',
      "'",
      'total,,,,,,',
      '2026-01-01 00:00:00',
      '2026-01-01T00:00:00Z',
      '2026/01/01 00:00:00+00',
      `${start}.25`,
      `${start}000000000`,
      '0.0016150000000000001',
      '\uFEFF\0c\0r\0e\0a\0t\0e\0d',
      'é',
      'sk-0123456789abcdefghijklmnopqrstuv',
      '\u202e',
    ],
    brackets: [
      ['"', '"'],
      ['(', ')'],
      ["'", "'"],
    ],
  },
  seeds: [
    `${header}\n${start},2,gpt-4o,growth,10,20,0.5\n${start},2,"a,b","say ""hi""",1,2,-0.25\n`,
    `\uFEFF"created_at","type","model_name","token_name","prompt_tokens","completion_tokens","quota"\r\n"${start}","2","gpt-4o","two\nlines","10","20","500000"\r\n`,
    `Call log\n\n${header}\n2026-01-01 00:00:00,consume,gpt-4o,growth,10,20,0.5\ntotal,,,,10,20,0.5\n`,
    `${header}\n`,
    `${header.replaceAll(',', ';')}\n${start}000000;2;gpt-4o;growth;10;20;0.5\n`,
    `${header}\r2026/01/01 00:00:00+00,2,gpt-4o,growth,10,20,0.0016150000000000001\r`,
    `Call log\n${header}\n2026-01-01 00:00:00.5,2,gpt-4o,growth,10,20,5e-1\n`,
  ],
  open: async () => {
    const folder = await mkdtemp(join(tmpdir(), 'fuzz-csv-'));
    const open = () =>
      openWarehouse({
        path: ':memory:',
        memoryLimit: '256MB',
        threads: 1,
        spoolDirectory: join(folder, 'spool'),
        clock: systemClock,
        log: silentLog,
      });
    let warehouse = await open();
    let cases = 0;
    return {
      run: async (text) => {
        cases += 1;
        // What cases land stays in memory.
        if (cases % 200 === 0) {
          await warehouse[Symbol.asyncDispose]();
          warehouse = await open();
        }
        const body = Buffer.from(text);
        try {
          await pullLogs({
            account: `case-${cases}`,
            since: unixSeconds(start),
            until: unixSeconds(start + 1),
            windowSeconds: 21_600,
            columns: 'detailed',
            currency: 'USD',
            profile: {
              ...unknownGateway,
              amounts: 'currency',
              timestamps: cases % 3 === 0 ? 'seconds' : 'auto',
            },
            fetchLogs: async () => ({
              contentType: 'text/csv',
              body: Readable.from([body.subarray(0, 70), body.subarray(70)]),
            }),
            badRows: cases % 2 === 0 ? 'quarantine' : 'fail',
            warehouse,
            spoolDirectory: join(folder, 'spool'),
            clock: systemClock,
            log: silentLog,
            progress: noProgress,
          });
        } catch (error) {
          // A wide export may need more memory than the engine has.
          if (!isFault(error) || !/^(export-|warehouse-failed$)/.test(error.code)) throw error;
        }
      },
      [Symbol.asyncDispose]: async () => {
        await warehouse[Symbol.asyncDispose]();
        await rm(folder, { recursive: true, force: true });
      },
    };
  },
};
