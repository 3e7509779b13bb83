import type { EventDraft } from './dialect.ts';
import { type AgentProcess, countProcesses } from './process/index.ts';

export type GrowthLimit = { label: string; maxProcesses: number | undefined };

/** What a run says when the agent that was kept for it has too many processes to go on; nothing while it has not. */
export function growthNotice(
  process: AgentProcess,
  { label, maxProcesses }: GrowthLimit,
): EventDraft | undefined {
  if (maxProcesses === undefined) return undefined;
  const processes = countProcesses(process);
  if (processes <= maxProcesses) return undefined;
  return {
    type: 'notice',
    level: 'warning',
    code: 'agent_replaced',
    message: `${label} had ${processes} processes, more than the ${maxProcesses} that are allowed, and was replaced. The session goes on in a new process.`,
    data: { processes, maxProcesses },
  };
}
