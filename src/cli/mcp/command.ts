import type { Command } from 'commander';
import { z } from 'zod';
import { createGate, describeError, fault, firstSignal, type Deps } from '../../core/index.ts';
import { version } from '../../version.ts';
import { ask } from '../ask.ts';
import { configOption } from '../options.ts';
import { tools, type Commands } from './tools.ts';

/** What JSON-RPC answers to a line that is no message; undefined for other errors. */
const unreadable = (error: Error) => {
  const code = error instanceof SyntaxError ? -32_700 : error.name.endsWith('ZodError') ? -32_600 : undefined;
  if (code === undefined) return undefined;
  const message =
    code === -32_700 ? 'Parse error: the line is not JSON' : 'Invalid Request: not a JSON-RPC message';
  return { jsonrpc: '2.0', id: null, error: { code, message } };
};

/** The commands, each of which ends with the signal. */
const until = (signal: AbortSignal, { call }: Commands): Commands => ({
  call: (name, input, context) => call(name, input, { ...context, signal }),
});

export const define = (command: Command, deps: Deps): void => {
  command
    .addOption(configOption())
    .addHelpText(
      'after',
      `
Speaks the Model Context Protocol on standard input and output, for an assistant
that starts it. All tools only read: ${Object.keys(tools).join(', ')}. Each answer
states the watermark and the reconciliation verdicts of its account.

Examples:
  tollkeeper mcp --config /etc/tollkeeper/config
  claude mcp add tollkeeper -- tollkeeper mcp --config /etc/tollkeeper/config`,
    )
    .action(async ({ config }: { readonly config: string }) => {
      const { streams, secrets, signal } = deps;
      if (streams === undefined) throw fault('wrong-use', 'there is no standard input to read');
      const { McpServer } = await import('@modelcontextprotocol/sdk/server/mcp.js');
      const { StdioServerTransport } = await import('@modelcontextprotocol/sdk/server/stdio.js');
      const server = new McpServer({ name: 'tollkeeper', version });
      const gone = new AbortController();
      const onerror = (error: Error): void => {
        const answer = unreadable(error);
        if (answer !== undefined) streams.output.write(`${JSON.stringify(answer)}\n`);
      };
      Object.assign(server.server, { onerror });
      // Without a daemon each call opens the database, which has one owner.
      const oneAtATime = createGate(1);
      for (const [name, { description, input, run }] of Object.entries(tools)) {
        const shape = z.strictObject(input);
        const asked = run as (input: unknown, commands: Commands) => Promise<unknown>;
        server.registerTool(
          name,
          { description, inputSchema: shape, annotations: { readOnlyHint: true, openWorldHint: false } },
          async (given: unknown, { signal: cancelled }) => {
            using stopped = firstSignal([signal, cancelled, gone.signal]);
            const { signal: stop } = stopped;
            try {
              const answer = await oneAtATime(async () => {
                stop.throwIfAborted();
                return ask(
                  { ...deps, signal: stop },
                  config,
                  async (commands) => asked(shape.parse(given), until(stop, commands)),
                  { reads: true },
                );
              });
              return { content: [{ type: 'text' as const, text: secrets.redact(JSON.stringify(answer)) }] };
            } catch (error) {
              const text = secrets.redact(describeError(error));
              return { isError: true, content: [{ type: 'text' as const, text }] };
            }
          },
        );
      }
      await server.connect(new StdioServerTransport(streams.input, streams.output));
      await new Promise<void>((resolve) => {
        const end = (): void => {
          gone.abort(fault('aborted', 'the client has gone'));
          resolve();
        };
        streams.input.once('end', end);
        signal.addEventListener('abort', end, { once: true });
        if (signal.aborted) end();
      });
      await server.close();
    });
};
