export { Reporter, type ReporterOptions } from './reporter.ts';
export { Spool, type SpoolBatch, type SpoolOptions } from './spool.ts';
