export { type ExecuteOptions, executeTask } from './execute-task.ts';
export { executorMain } from './main.ts';
export { type ExecutorPayload, parsePayload, payloadSchema } from './payload.ts';
export { Reporter, type ReporterOptions } from './reporter.ts';
export { Spool, type SpoolBatch, type SpoolOptions } from './spool.ts';
