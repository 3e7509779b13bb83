import type { BackendEventResult, WarningLog } from '@baton/contracts';
import {
  type AgentEvent,
  type AgentRun,
  BatonError,
  type HostedRun,
  type PendingRequest,
  pendingIn,
  type RequestAnswer,
} from '@baton/protocol';
import type { RunReport } from './run-report.ts';
import { WorkClock } from './work-clock.ts';

/** Asks the people in the chat. The signal aborts when the answer is no longer needed. */
export type AskInChat = (pending: PendingRequest, signal: AbortSignal) => Promise<RequestAnswer>;

/** Takes part in a run while it is read. */
export type RunWatcher = {
  readonly ask: AskInChat;
  /** Called with every event of the run. */
  see(event: AgentEvent): void;
  /** Aborts when the run has to stop. */
  readonly signal: AbortSignal;
  /** Aborts when this program leaves the run to its daemon; omitted in a host that has none. */
  readonly left?: AbortSignal | undefined;
};

export type ReadRunOptions = RunWatcher & {
  launch(): Promise<HostedRun>;
  report: RunReport;
  /** Time limit of the agent, not counting the time in which it waits for users; 0 for no limit. */
  workMs: number;
  /** Time limit for the daemon to stop a run; 15 seconds by default. */
  stopMs?: number | undefined;
  log: WarningLog;
};

/** Reason to stop waiting for a daemon: the run was left to it, or it does not confirm that it stopped the run. */
type GaveUp = 'left' | 'unconfirmed';

const STOP_MS = 15_000;
const TIMED_OUT = 'Query timed out';
/** The daemon gets the stop when it answers again. */
const UNCONFIRMED = { isError: true, responseText: 'Stopped' };

/** Launches a run and reads it to its end; undefined if it was left to its daemon. */
export async function readRun(options: ReadRunOptions): Promise<BackendEventResult | undefined> {
  const { report } = options;
  let isStarted = false;
  try {
    const hosted = await untilLaunched(options);
    if (hosted === 'left') return undefined;
    if (hosted === 'unconfirmed') return UNCONFIRMED;
    isStarted = true;
    const how = await follow(hosted, options);
    if (how === 'left') return undefined;
    if (how === 'unconfirmed') return UNCONFIRMED;
    const { sessionId } = hosted;
    // The next message of the channel may work in the same files.
    await hosted.kept;
    const answer = { ...report.end(await hosted.run.result), ...(sessionId && { sessionId }) };
    if (!answer.isError || how !== 'timed out') return answer;
    const failure = { mayHaveActed: true, ...answer.failure, isTransient: true };
    return { ...answer, responseText: TIMED_OUT, failure };
  } catch (error) {
    if (!BatonError.is(error)) throw error;
    return report.fail(error, isStarted);
  }
}

/** Waits for a daemon to take the run; a message that it has not got ends at once when it is stopped. */
async function untilLaunched({ launch, ...options }: ReadRunOptions): Promise<HostedRun | GaveUp> {
  const givenUp = Promise.withResolvers<GaveUp>();
  const wait = daemonWait(options, 0, givenUp.resolve);
  return Promise.race([launch(), givenUp.promise]).finally(wait.end);
}

/** Gives up on a daemon that may not answer: as soon as the run is left, or some time after its stop. */
function daemonWait(
  { left, signal }: Pick<RunWatcher, 'left' | 'signal'>,
  stopMs: number,
  giveUp: (reason: GaveUp) => void,
) {
  const ended = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const leave = () => giveUp('left');
  /** Starts the time limit again, because the daemon has answered. */
  const renew = () => {
    clearTimeout(timer);
    if (left && signal.aborted) timer = setTimeout(() => giveUp('unconfirmed'), stopMs);
  };
  left?.addEventListener('abort', leave, { once: true, signal: ended.signal });
  signal.addEventListener('abort', renew, { once: true, signal: ended.signal });
  if (left?.aborted) leave();
  else renew();
  const end = () => {
    clearTimeout(timer);
    ended.abort();
  };
  return { renew, end };
}

async function follow(
  { run, leave }: HostedRun,
  { workMs, report, see, left, signal, stopMs = STOP_MS, ask, log }: ReadRunOptions,
): Promise<'ended' | 'timed out' | GaveUp> {
  let how: 'ended' | 'timed out' | GaveUp = 'ended';
  const clock = new WorkClock(workMs, () => {
    how = 'timed out';
    run.cancel(TIMED_OUT).catch(() => {});
  });
  const wait = daemonWait({ left, signal }, stopMs, (reason) => {
    how = reason;
    leave();
  });
  const asked = new Map<string, AbortController>();
  try {
    for await (const event of run) {
      wait.renew();
      if (event.type === 'run.started') clock.start();
      if (event.type === 'permission.resolved' || event.type === 'question.resolved') {
        asked.get(event.requestId)?.abort();
        asked.delete(event.requestId);
        if (asked.size === 0) clock.start();
      }
      report.see(event);
      see(event);
      const pending = pendingIn(event);
      if (!pending) continue;
      clock.pause();
      const settled = new AbortController();
      asked.set(pending.request.requestId, settled);
      void answer(run, pending, { ask, settled: settled.signal, log });
    }
    return how;
  } finally {
    wait.end();
    clock.pause();
    for (const settled of asked.values()) settled.abort();
  }
}

/** Answers a request as the chat does; without an answer it is denied. */
async function answer(
  run: AgentRun,
  pending: PendingRequest,
  { ask, settled, log }: Pick<ReadRunOptions, 'ask' | 'log'> & { settled: AbortSignal },
): Promise<void> {
  const { requestId } = pending.request;
  try {
    const given = await ask(pending, settled);
    if (!settled.aborted) await run.answer(requestId, given);
  } catch (error) {
    if (settled.aborted) return;
    const reason = `The chat could not be asked: ${error instanceof Error ? error.message : error}`;
    log.warn(reason);
    run.answer(requestId, refusal(pending, reason)).catch(() => {});
  }
}

function refusal({ kind }: PendingRequest, reason: string): RequestAnswer {
  const by = 'nobody';
  return kind === 'permission' ? { decision: 'deny', reason, by } : { declined: true, reason, by };
}
