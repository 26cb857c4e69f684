export { callLocally } from './local.ts';
export {
  commandTable,
  inputTexts,
  type CommandHandlers,
  type CommandInput,
  type CommandName,
} from './command-table.ts';
export type { Call, CommandTable, ContextOf, Handlers } from './command.ts';
export { connectToDaemon } from './client.ts';
export { listenForCommands, type ServerOptions } from './server.ts';
export { socketPath } from './socket-path.ts';
export { answerRequests } from './answer-requests.ts';
export { askReplica } from './ask-replica.ts';
