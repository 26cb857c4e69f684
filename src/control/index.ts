export { callLocally } from './local.ts';
export { commandTable } from './command-table.ts';
export type { CommandHandlers, CommandInput, CommandName } from './command-table.ts';
export type { Call, CommandTable, ContextOf, Handlers } from './command.ts';
export { connectToDaemon } from './client.ts';
export { listenForCommands } from './server.ts';
export type { ServerOptions } from './server.ts';
export { socketPath } from './socket-path.ts';
