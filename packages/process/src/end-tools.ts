import { killTree } from './kill-tree.ts';
import { startTicksAt } from './process-table.ts';
import type { AgentProcess } from './spawn.ts';

/** Ends what an agent started at or after a time, and leaves the agent and everything older running. */
export async function endTools(
  process: AgentProcess,
  startedAt: number,
): Promise<{ killed: number; remaining: number }> {
  const { killed, remaining } = await killTree(process, { onlySince: startTicksAt(startedAt) });
  return { killed, remaining: remaining.length };
}
