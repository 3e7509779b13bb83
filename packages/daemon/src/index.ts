export { ownerLink, ownerLogin } from './access/owner-access.ts';
export { type AnswerReceipt, answerRequest, type GivenAnswer } from './commands/answer-request.ts';
export { changeSession } from './commands/change-session.ts';
export { createSession, type NewSession } from './commands/create-session.ts';
export { editPrompt, type NewPrompt, queuePrompt } from './commands/queue-prompt.ts';
export { endTask, type StopReceipt, type StopRequest, stopTask } from './commands/stop-task.ts';
export type { ExecutorCommand } from './pool/executor-pool.ts';
export { type Daemon, type DaemonOptions, DEFAULT_PORT, startDaemon } from './start-daemon.ts';
