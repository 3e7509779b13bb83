export { ownerLink, ownerLogin } from './access/owner-access.ts';
export { type AnswerReceipt, answerRequest, type GivenAnswer } from './commands/answer-request.ts';
export { changeSession } from './commands/change-session.ts';
export { createSession, type NewSession } from './commands/create-session.ts';
export { editPrompt, type NewPrompt, queuePrompt } from './commands/queue-prompt.ts';
export { endTask, type StopReceipt, type StopRequest, stopTask } from './commands/stop-task.ts';
export { type DaemonFolder, takeFolder } from './folder.ts';
export { DEFAULT_PORT, isLoopback, type Tls } from './http/listen.ts';
export { type Operation, operationsOf } from './openapi/operation.ts';
export type { ExecutorCommand } from './pool/start-executor.ts';
export { type Field, fieldsOf } from './schema/field.ts';
export { enabledMcpServers } from './security/mcp-config.ts';
export { describeServices } from './services/describe-services.ts';
export { readSettings } from './settings/read-settings.ts';
export {
  type DaemonSettings,
  SETTINGS as DAEMON_SETTINGS,
  type SettingName,
} from './settings/settings.ts';
export { type Daemon, type DaemonOptions, startDaemon } from './start-daemon.ts';
