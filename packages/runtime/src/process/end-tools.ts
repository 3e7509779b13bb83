import type { AgentProcess } from './spawn.ts';
import { sweep } from './sweep.ts';
import { startTicksAt } from './tree.ts';

/** Ends what an agent started at or after a time, and leaves the agent and everything older running. */
export async function endTools(
  process: AgentProcess,
  startedAt: number,
): Promise<{ killed: number; remaining: number }> {
  const { killed, remaining } = await sweep(process, { onlySince: startTicksAt(startedAt) });
  return { killed, remaining: remaining.length };
}
