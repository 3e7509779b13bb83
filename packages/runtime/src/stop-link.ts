import type { StopReport } from '@baton/protocol';
import type { AgentLink, LinkEnd } from './agent-link.ts';
import type { StopTimes } from './driver.ts';
import { endTools, type LadderStep, signalStep, stopProcess } from './process/index.ts';
import { raceTimer } from './race-timer.ts';

/** A tool's process may be older than the event that tells of it; the agent's MCP servers are much older. */
const TOOL_LEAD_MS = 200;

export type StopInput = {
  link: AgentLink;
  times: StopTimes;
  /** Settles when the agent has ended its turn. */
  turn: Promise<unknown>;
  /** When the first tool of the turn was started. */
  firstToolAt: number | undefined;
  /** Aborting it ends all waiting. */
  force: AbortSignal;
};

/** Ends the turn and keeps the agent; nothing when the agent does not cooperate. */
export async function interruptTurn(input: StopInput): Promise<StopReport | undefined> {
  const { link, times, turn, firstToolAt, force } = input;
  const requestedAt = Date.now();
  if (force.aborted || !link.dialect.interrupt?.()) return undefined;
  const heard = await raceTimer([turn, link.process.exited], times.interruptMs, force);
  if (!heard || !link.process.alive()) return undefined;
  const acknowledgedAt = Date.now();
  const tools =
    firstToolAt === undefined
      ? { killed: 0, remaining: 0 }
      : await endTools(link.process, firstToolAt - TOOL_LEAD_MS);
  return {
    ...stateOf(tools.remaining),
    requestedAt,
    acknowledgedAt,
    stoppedAt: Date.now(),
    steps: [{ step: 'interrupt', ms: acknowledgedAt - requestedAt }],
    killed: tools.killed,
  };
}

/** Ends the agent and everything it started: its own interrupt, its signal, the kill. One that has ended its turn may exit in peace. */
export async function climbLadder(input: StopInput): Promise<StopReport> {
  const { link, times, turn, force } = input;
  link.stopping = true;
  const interrupt: LadderStep = {
    step: 'interrupt',
    waitMs: times.interruptMs,
    act: () => {
      if (!link.dialect.interrupt?.()) return false;
      void turn.then(() => link.process.endStdin());
      return true;
    },
    acknowledged: { promise: turn, exitMs: times.closeMs },
  };
  const report = await stopProcess({
    process: link.process,
    steps: [interrupt, signalStep(link.process, times.signal, times.signalMs)],
    force,
  });
  // Whoever comes first ends what the agent left: this ladder, or the link that saw its exit.
  const { leftovers } = await link.ended;
  return { ...report, killed: Math.max(report.killed, leftovers) };
}

/** Ends the agent after its last turn, in peace if it can. */
export async function endInPeace(
  link: AgentLink,
  times: StopTimes,
  force: AbortSignal,
): Promise<LinkEnd> {
  link.process.resume();
  link.process.endStdin();
  const left = await raceTimer([link.process.exited], times.closeMs, force);
  return left ? link.ended : endBySignal(link, times, force);
}

/** Ends the agent with its signal, or by force when it does not obey. */
export async function endBySignal(
  link: AgentLink,
  times: StopTimes,
  force: AbortSignal,
): Promise<LinkEnd> {
  link.stopping = true;
  await stopProcess({
    process: link.process,
    steps: [signalStep(link.process, times.signal, times.signalMs)],
    force,
  });
  return link.ended;
}

/** What there is to say of an agent that ended without being stopped, or was not there. */
export function reportOf(end: LinkEnd | undefined, requestedAt = Date.now()): StopReport {
  return {
    ...stateOf(end?.remaining ?? 0),
    requestedAt,
    stoppedAt: Date.now(),
    steps: [],
    killed: end?.leftovers ?? 0,
  };
}

function stateOf(remaining: number): Pick<StopReport, 'state' | 'reason'> {
  if (remaining === 0) return { state: 'stopped' };
  return { state: 'unverified', reason: `${processes(remaining)} could not be ended.` };
}

/** So many processes, in words. */
export function processes(count: number): string {
  return count === 1 ? 'one process' : `${count} processes`;
}
