import { endTools, type LadderStep, signalStep, stopProcess } from '@baton/process';
import { raceTimer } from '@baton/process/time/race-timer';
import type { StopReport } from '@baton/protocol/values';
import type { StopTimes } from '../definition/driver.ts';
import type { AgentLink, LinkEnd } from './agent-link.ts';

/** A tool's process starts before its event arrives, by at most this; the agent's MCP servers are much older. */
const TOOL_LEAD_MS = 200;

export type StopInput = {
  link: AgentLink;
  times: StopTimes;
  /** Settles when the agent has ended its turn. */
  turn: Promise<unknown>;
  /** Returns the time at which the first tool of the turn started; its event may arrive during the stop. */
  firstToolAt(): number | undefined;
  /** Aborting it ends all waiting. */
  force: AbortSignal;
};

/** Ends the turn and keeps the agent; returns undefined if the agent does not cooperate. */
export async function interruptTurn(input: StopInput): Promise<StopReport | undefined> {
  const { link, times, turn, firstToolAt, force } = input;
  const requestedAt = Date.now();
  if (force.aborted || !link.dialect.interrupt?.()) return undefined;
  const heard = await raceTimer([turn, link.exited], times.interruptMs, force);
  if (!heard || !link.alive()) return undefined;
  const acknowledgedAt = Date.now();
  const toolAt = firstToolAt();
  const tools =
    toolAt === undefined || !link.process
      ? { killed: 0, remaining: 0 }
      : await endTools(link.process, toolAt - TOOL_LEAD_MS);
  return {
    ...(link.process ? stateOf(tools.remaining) : stateElsewhere(toolAt)),
    requestedAt,
    acknowledgedAt,
    stoppedAt: Date.now(),
    steps: [{ step: 'interrupt', ms: acknowledgedAt - requestedAt }],
    killed: tools.killed,
  };
}

/**
 * Stops the agent and everything it started: by its own interrupt, its signal, then SIGKILL. An agent that has ended its
 * turn gets time to exit.
 */
export async function stopAgent(input: StopInput): Promise<StopReport> {
  const { link, times, turn, force } = input;
  const { process } = link;
  link.stopping = true;
  if (!process) return disconnect(input);
  const interrupt: LadderStep = {
    step: 'interrupt',
    waitMs: times.interruptMs,
    act: () => {
      if (!link.dialect.interrupt?.()) return false;
      void turn.then(() => link.endInput());
      return true;
    },
    acknowledged: { promise: turn, exitMs: times.closeMs },
  };
  const report = await stopProcess({
    process,
    steps: [interrupt, signalStep(process, times.signal, times.signalMs)],
    force,
  });
  // This ladder and the link that sees the exit both kill leftovers; the first one does it.
  const { leftovers } = await link.ended;
  return { ...report, killed: Math.max(report.killed, leftovers) };
}

/** Ends the turn of an agent that runs elsewhere and then the connection; only its own word can tell that it stopped. */
async function disconnect({
  link,
  times,
  turn,
  firstToolAt,
  force,
}: StopInput): Promise<StopReport> {
  const requestedAt = Date.now();
  const steps: StopReport['steps'] = [];
  let hasStopped = false;
  if (!force.aborted && link.dialect.interrupt?.()) {
    hasStopped = await raceTimer([turn], times.interruptMs, force);
    steps.push({ step: 'interrupt', ms: Date.now() - requestedAt });
  }
  link.endInput();
  await link.ended;
  return {
    ...(hasStopped
      ? stateElsewhere(firstToolAt())
      : {
          state: 'unverified',
          reason: 'The agent runs elsewhere and did not confirm the stop.',
        }),
    requestedAt,
    ...(hasStopped ? { acknowledgedAt: Date.now() } : {}),
    stoppedAt: Date.now(),
    steps,
    killed: 0,
  };
}

/** Ends the agent after its last turn: by closing its input first. */
export async function endGracefully(
  link: AgentLink,
  times: StopTimes,
  force: AbortSignal,
): Promise<LinkEnd> {
  link.resume();
  link.endInput();
  const left = await raceTimer([link.exited], times.closeMs, force);
  return left ? link.ended : endBySignal(link, times, force);
}

/** Ends the agent with its signal, or by force if it ignores the signal. */
export async function endBySignal(
  link: AgentLink,
  times: StopTimes,
  force: AbortSignal,
): Promise<LinkEnd> {
  const { process } = link;
  link.stopping = true;
  if (!process) {
    link.endInput();
    return link.ended;
  }
  await stopProcess({
    process,
    steps: [signalStep(process, times.signal, times.signalMs)],
    force,
  });
  return link.ended;
}

/** Returns the report on an agent that ended without being stopped, or was not running. */
export function reportOf(end: LinkEnd | undefined, requestedAt = Date.now()): StopReport {
  return {
    ...stateOf(end?.remaining ?? 0),
    requestedAt,
    stoppedAt: Date.now(),
    steps: [],
    killed: end?.leftovers ?? 0,
  };
}

/** An agent that runs elsewhere and confirmed the stop: what its tools have started there is out of sight. */
function stateElsewhere(firstToolAt: number | undefined): Pick<StopReport, 'state' | 'reason'> {
  if (firstToolAt === undefined) return { state: 'stopped' };
  const reason =
    'The agent runs elsewhere. It confirmed the stop, but Baton cannot see processes that its tools have started.';
  return { state: 'unverified', reason };
}

function stateOf(remaining: number): Pick<StopReport, 'state' | 'reason'> {
  if (remaining === 0) return { state: 'stopped' };
  return { state: 'unverified', reason: `Could not kill ${processes(remaining)}.` };
}

/** A number of processes as text. */
export function processes(count: number): string {
  return count === 1 ? '1 process' : `${count} processes`;
}
