export { type ExecuteOptions, executeTask, type TaskWatch } from './execute-task.ts';
export { executorMain } from './main.ts';
export { checkPayload, type ExecutorPayload, parsePayload } from './payload.ts';
export { Reporter, type ReporterOptions } from './reporter.ts';
export { Spool, type SpoolBatch, type SpoolOptions } from './spool.ts';
