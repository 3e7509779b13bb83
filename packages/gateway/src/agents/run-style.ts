import { gatewayReport, ignoredOption, resolveBackendName } from '@baton/contracts';
import type { OptionName, RunOptions } from '@baton/protocol';
import type { GatewayConfig } from '../config/load-config.ts';
import { HOST_REPORT, type RunReport } from './run-report.ts';

/** Limits and reports of the runs of a host. */
export type RunStyle = {
  /** Options of every run. */
  options(config: GatewayConfig): RunOptions;
  /** Time limit without the time in which users are asked, if the options contain none; 0 for no limit. */
  workMs(config: GatewayConfig): number;
  /** Warning about an option that an agent lacks. */
  ignored(label: string, name: OptionName): string;
  report(backend: string): RunReport;
};

/** Runs of any agent, which may ask. The run itself knows when no tool was started, so it retries. */
export const HOST_STYLE: RunStyle = {
  options: ({ retries }) => ({ retry: { attempts: retries } }),
  workMs: ({ queryTimeoutMs }) => queryTimeoutMs,
  ignored: (label, name) => `${label} does not support ${name}; it is ignored.`,
  report: () => HOST_REPORT,
};

/** Runs with the command lines of the original gateway, which never ask and keep its error texts and retries. */
export const ORIGINAL_STYLE: RunStyle = {
  options: ({ queryTimeoutMs }) => ({ timeouts: { totalMs: queryTimeoutMs } }),
  workMs: () => 0,
  ignored: ignoredOption,
  report: (backend) => gatewayReport(resolveBackendName(backend)),
};
