import { type AgentProcess, countProcesses } from '@baton/process';
import type { EventDraft } from '../definition/dialect.ts';

type GrowthLimit = { label: string; maxProcesses: number | undefined };

/** The notice that an agent is restarted because it has too many processes; undefined while it has not. */
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
    message: `${label} had ${processes} processes, over the limit of ${maxProcesses}, and was restarted. The session continues in a new process.`,
    data: { processes, maxProcesses },
  };
}
