export { executorMain } from './main.ts';
export { Reporter, type ReporterOptions } from './report/reporter.ts';
export { Spool, type SpoolBatch, type SpoolOptions } from './report/spool.ts';
export { type ExecuteOptions, executeTask, type TaskWatch } from './task/execute-task.ts';
export { checkPayload, type ExecutorPayload, parsePayload } from './task/payload.ts';
