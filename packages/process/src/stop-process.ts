import { platform } from 'node:process';
import type { StopReport } from '@baton/protocol/values';
import type { AgentIdentity } from './agent-processes.ts';
import { type KillTreeResult, killTree } from './kill-tree.ts';
import { track, untrack } from './live-agents.ts';
import { canVerify, type ProcessInfo, survivors } from './process-table.ts';
import type { AgentProcess } from './spawn.ts';

/** One rung: something that asks the agent to end, and how long it has to do so. */
export type LadderStep = {
  step: string;
  waitMs: number;
  /** Returns false if the step does not apply; then there is no wait. */
  // biome-ignore lint/suspicious/noConfusingVoidType: most steps have nothing to return
  act: () => boolean | void;
  /** An agent that acknowledges the step in time gets so much longer to exit. */
  acknowledged?: { promise: Promise<unknown>; exitMs: number };
};

export type LadderOptions = {
  process: AgentProcess;
  steps: readonly LadderStep[];
  /** Aborting it skips to the kill. */
  force?: AbortSignal;
};

/** Climbs the ladder until the agent exits, then kills whatever is left of it and verifies that nothing is. */
export async function stopProcess({ process, steps, force }: LadderOptions): Promise<StopReport> {
  const report: StopReport = { state: 'stopped', requestedAt: Date.now(), steps: [], killed: 0 };
  const family: ProcessInfo[] = [];
  for (const { step, waitMs, act, acknowledged } of steps) {
    if (!process.alive() || force?.aborted) break;
    // An agent that exits takes with it the proof that its children are its own.
    family.push(...survivors(identity(process)));
    const started = performance.now();
    if (!applies(act)) continue;
    let hasAcknowledged = false;
    void acknowledged?.promise.then(() => {
      hasAcknowledged = true;
    });
    await exitWithin(process, waitMs, force);
    if (acknowledged && hasAcknowledged) await exitWithin(process, acknowledged.exitMs, force);
    report.steps.push({ step, ms: performance.now() - started });
    if (!process.alive()) report.acknowledgedAt = Date.now();
  }
  return finish(process, family, report);
}

/** Ends what a process left running, once it has exited. */
export async function killLeftovers(
  process: AgentProcess,
): Promise<{ killed: number; remaining: number }> {
  await process.exited;
  const { killed, remaining } = await trackedSweep(process);
  return { killed, remaining: remaining.length };
}

/** Counts the processes of an agent: itself and everything that it started. */
export function countProcesses(process: AgentProcess): number {
  return survivors(identity(process), { includeAgent: true }).length;
}

/** Makes the step that sends a signal to the agent itself. */
export function signalStep(
  process: AgentProcess,
  signal: NodeJS.Signals,
  waitMs: number,
): LadderStep {
  return { step: signal, waitMs, act: () => process.signal(signal) };
}

async function finish(
  process: AgentProcess,
  family: readonly ProcessInfo[],
  report: StopReport,
): Promise<StopReport> {
  const started = performance.now();
  const { killed, remaining } = await trackedSweep(process, family);
  if (!remaining.some(({ pid }) => pid === process.pid)) await process.exited;
  if (killed > 0) report.steps.push({ step: 'kill', ms: performance.now() - started });
  const reason = whyUnverified(remaining);
  if (reason) return { ...report, killed, state: 'unverified', reason };
  return { ...report, killed, stoppedAt: Date.now() };
}

async function trackedSweep(
  process: AgentProcess,
  earlier?: readonly ProcessInfo[],
): Promise<KillTreeResult> {
  track(process);
  const result = await killTree(identity(process), { earlier });
  if (result.remaining.length === 0) untrack(process);
  return result;
}

/** Without a start time, only our own knowledge of its exit tells that a pid is no longer the agent's. */
function identity(process: AgentProcess): AgentIdentity {
  const { pid, marker, startTicks } = process;
  return { pid, marker, startTicks: startTicks ?? (process.alive() ? undefined : 0) };
}

/** A step that throws must not keep the next one from being tried. */
function applies(act: LadderStep['act']): boolean {
  try {
    return act() !== false;
  } catch {
    return false;
  }
}

async function exitWithin(process: AgentProcess, ms: number, force?: AbortSignal): Promise<void> {
  const { promise: enough, resolve } = Promise.withResolvers<void>();
  const giveUp = () => resolve();
  const timer = setTimeout(giveUp, ms);
  force?.addEventListener('abort', giveUp);
  // The act itself may have aborted it.
  if (force?.aborted) giveUp();
  await Promise.race([process.exited, enough]);
  clearTimeout(timer);
  force?.removeEventListener('abort', giveUp);
}

function whyUnverified(remaining: readonly ProcessInfo[]): string | undefined {
  if (remaining.length > 0) {
    const names = remaining.map(({ pid, state }) => `${pid} (${state})`).join(', ');
    return `Processes still running after SIGKILL: ${names}`;
  }
  if (canVerify) return undefined;
  return `${platform} does not show which processes have the marker variable of a run`;
}
