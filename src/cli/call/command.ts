import { resolve } from 'node:path';
import { InvalidArgumentError, Option, type Command } from 'commander';
import { fault, parseDuration, type Deps, jsonText } from '../../core/index.ts';
import { openModelAccess } from '../../app/index.ts';
import { inputFields, isStreamFault, modelEndpoints, type ModelEndpoint } from '../../gateway/index.ts';
import { configOption } from '../options.ts';
import { screenOf } from '../ui/paint.ts';
import { createPlainLog } from '../ui/plain-log.ts';
import { showProgress } from '../ui/progress.ts';
import { addFlags, readInput } from './flags.ts';
import { readKey } from './key-source.ts';
import { listJson, listText } from './list.ts';
import { callJson, renderCall } from './render.ts';
import { runCall, type CallOutcome } from './run-call.ts';
import { createFileStore } from './save-files.ts';

type CallOptions = Readonly<Record<string, unknown>> & {
  readonly config: string;
  readonly account?: string;
  readonly keyEnv?: string;
  readonly keyFile?: string;
  readonly service?: string;
  readonly from?: string;
  readonly set?: readonly string[];
  readonly save?: string | false;
  readonly wait?: number | false;
  readonly waitCost?: number | true;
  readonly timeout?: number;
  readonly allowPrivate?: boolean;
  readonly stream?: boolean;
  readonly json?: boolean;
};

const duration = (text: string): number => {
  const millis = parseDuration(text);
  if (millis === undefined || millis <= 0)
    throw new InvalidArgumentError('it must be a duration such as 90s or 5m');
  return millis;
};

/** Milliseconds. */
const defaults = { task: 900_000, cost: 660_000 };

const collect = (value: string, before: readonly string[] | undefined): readonly string[] => [
  ...(before ?? []),
  value,
];

const addCommonOptions = (command: Command, endpoint: ModelEndpoint): void => {
  command
    .option('--from <file>', 'read the input from a JSON file; flags go before it')
    .addOption(
      new Option('--set <name=value>', 'another field of the input; can be repeated').argParser(collect),
    )
    .option('--key-env <name>', 'environment variable with the API key')
    .option('--key-file <path>', 'file with the API key')
    .option('--service <name>', 'use the key that a sink holds for this service')
    .addOption(configOption())
    .option('-a, --account <name>', 'account (default: the first one of the configuration)')
    .option('--timeout <duration>', 'time until the answer must be complete', duration);
  if (endpoint.answers === 'stream') {
    command.option('--no-stream', 'print the answer when it is complete');
  } else {
    command
      .option(
        '--save <folder>',
        `save images and sounds there${endpoint.method === 'GET' ? '' : ' (default: the current folder)'}`,
      )
      .option('--no-save', 'save nothing')
      .option('--allow-private', 'follow links of the answer to private addresses, too');
  }
  if (endpoint.answers === 'task')
    command
      .addOption(
        new Option('--wait <duration>', 'how long to wait for the task (default: 15m)').argParser(duration),
      )
      .option('--no-wait', 'print the ID of the task and return');
  command
    .addOption(
      new Option(
        '--wait-cost [duration]',
        'print the cost once the call log shows the call (default: 11m)',
      ).argParser(duration),
    )
    .option('--json', 'print the answer as JSON');
};

const helpOf = ({ example, statement, method, path, name }: ModelEndpoint): string => `
${method} ${path}, docs/gateway.md ${statement}.

The API key is read from a variable, a file or a sink, and is never an argument.
A call is sent once: it may cost money, and only reads are repeated.

A JSON file for --from:
  ${example}

Examples:
  tollkeeper call ${name} --key-env GATEWAY_API_KEY --from input.json
  tollkeeper call ${name} --service billing --from input.json --json --wait-cost`;

const warn = (deps: Deps, endpoint: ModelEndpoint, { deviations }: Pick<CallOutcome, 'deviations'>): void => {
  if (deviations.length === 0) return;
  deps.stderr.write(
    deps.secrets.redact(
      `the answer differs from docs/gateway.md ${endpoint.statement}: ${deviations.join('; ')}\n`,
    ),
  );
};

const act = async (deps: Deps, endpoint: ModelEndpoint, options: CallOptions): Promise<void> => {
  const { progress, end } = showProgress(deps.stderr, deps.clock, false);
  const log = createPlainLog(deps, end);
  const { redact } = deps.secrets;
  const isJson = options.json === true;
  const streams = endpoint.answers === 'stream' && !isJson && options.stream !== false;
  let streamed = false;
  try {
    const input = await readInput(inputFields(endpoint), options, deps.cwd);
    await using access = await openModelAccess(deps, {
      folder: resolve(deps.cwd, options.config),
      account: options.account,
      log,
      allowPrivate: options.allowPrivate,
    });
    const key = await readKey(options, deps, access);
    const folder = typeof options.save === 'string' ? options.save : '.';
    const saves = options.save !== false && (endpoint.method === 'POST' || typeof options.save === 'string');
    const outcome = await runCall(
      deps,
      access,
      {
        endpoint,
        key,
        input,
        ...(streams
          ? {
              onText: (text) => {
                end();
                streamed = true;
                deps.stdout.write(redact(text));
              },
            }
          : {}),
        taskDeadline: options.wait === false ? 0 : (options.wait ?? defaults.task),
        ...(saves && endpoint.answers !== 'stream'
          ? {
              store: createFileStore(resolve(deps.cwd, folder), endpoint.name, {
                shown: deps.cwd,
                random: deps.random,
              }),
            }
          : {}),
        costDeadline:
          options.waitCost === undefined ? 0 : options.waitCost === true ? defaults.cost : options.waitCost,
        timeout: options.timeout,
      },
      progress,
    );
    end();
    warn(deps, endpoint, outcome);
    deps.stdout.write(
      redact(
        isJson
          ? jsonText(callJson(endpoint, outcome))
          : renderCall(endpoint, outcome, streamed, screenOf(deps.stdout, deps.env)),
      ),
    );
  } catch (error) {
    end();
    // Prints the received part before the error, so that users do not mistake it for the complete answer.
    if (isStreamFault(error)) {
      if (isJson) deps.stdout.write(redact(jsonText({ endpoint: endpoint.name, arrived: error.arrived })));
      else if (streamed) deps.stdout.write('\n');
    }
    throw error;
  } finally {
    end();
  }
};

export const define = (call: Command, deps: Deps): void => {
  call
    .option('--list', 'show all endpoints with their fields')
    .option('--json', 'with --list: print it as JSON')
    .addHelpText(
      'after',
      `
Calls one endpoint of the gateway with an API key and prints the answer. Images
and sounds are saved, a task is waited for, and --wait-cost prints what the call
cost once the call log shows it.

Exits with 0 when the call succeeds, 1 when it fails, and 2 on usage errors.

Examples:
  tollkeeper call --list
  tollkeeper call messages --key-env GATEWAY_API_KEY --model claude-haiku-4-5 --message "Hello"
  tollkeeper call imagine --service art --prompt "a lighthouse at dusk" --save images
  tollkeeper call embeddings --key-file key.txt --from input.json --json --wait-cost`,
    )
    .action((options: { readonly list?: boolean; readonly json?: boolean }) => {
      if (options.list !== true)
        throw fault('wrong-use', 'no endpoint given', { advice: 'run `tollkeeper call --list` to see them' });
      deps.stdout.write(
        options.json === true ? jsonText(listJson(modelEndpoints)) : listText(modelEndpoints),
      );
    });
  for (const endpoint of modelEndpoints) {
    const command = call.command(endpoint.name).description(endpoint.summary);
    addFlags(command, inputFields(endpoint));
    addCommonOptions(command, endpoint);
    command
      .addHelpText('after', helpOf(endpoint))
      .action(async (options: CallOptions) => act(deps, endpoint, options));
  }
};
