import type { AgentEvent, AgentRun, ErrorInfo, EventOf, PermissionMode } from '@baton/protocol';
import { EXIT, exitCodeOfRun } from '../exit-codes.ts';
import { type Asking, TerminalAsker } from '../terminal/ask.ts';
import { Denials, deniedForNobody } from '../terminal/denial.ts';
import { drained } from '../terminal/drained.ts';
import { stopOnInterrupt } from '../terminal/interrupts.ts';
import { Keyboard } from '../terminal/keyboard.ts';
import { UnattendedRequests } from '../terminal/unattended-requests.ts';
import { errorLines } from '../view/error-lines.ts';
import { jsonView } from '../view/json-view.ts';
import { plainView } from '../view/plain-view.ts';
import { safe } from '../view/style.ts';
import { TerminalView } from '../view/terminal-view.ts';
import type { View } from '../view/view.ts';

/** Maximum time that a stopped run waits for the reader of its remaining output. */
const READER_MS = 1000;

/** Adds the first unrecognized line of the agent to an error. */
export type Explain = (error: ErrorInfo, printed: string | undefined) => Promise<ErrorInfo>;

export type Shown = {
  json: boolean;
  verbose: boolean;
  /** True if a user is there to watch and answer. */
  atTerminal: boolean;
  permissionMode: PermissionMode | undefined;
  /** Shows only the answer on standard output, also on a terminal. */
  plain?: boolean;
  /** The command that continues from here, if it is not the agent's own session. */
  continueWith?: string | undefined;
  /** The name of the backend as it was typed. */
  typedBackend?: string | undefined;
  tell(line: string): void;
  /** Called with a function that prints a line without garbling the view or an open question. */
  onReady?: ((tell: (line: string) => void) => void) | undefined;
  /** Called for a pending request that is not asked here. */
  onUnasked?: ((requestId: string) => void) | undefined;
  explain?: Explain | undefined;
  exitCodeOf?: typeof exitCodeOfRun;
  /** Hint for requests that were denied because no user was there. */
  deniedHint?: string;
};

/** Shows a run to its end, lets the user at the terminal answer and stop it, and returns the exit code. */
export async function showRun(agentRun: AgentRun, shown: Shown): Promise<number> {
  const { json, atTerminal, permissionMode, tell, exitCodeOf = exitCodeOfRun } = shown;
  const view = chooseView(shown);
  const keyboard = atTerminal ? new Keyboard() : undefined;
  const tellBetween = (line: string) => {
    view.pause?.();
    tell(line);
    view.resume?.();
  };
  // An open question shows that the run is being stopped, and is not asked again.
  const release = stopOnInterrupt(agentRun, (line) =>
    keyboard?.isAsking ? tell(`\n${line}`) : tellBetween(line),
  );
  shown.onReady?.((line) => keyboard?.interject(line) || tellBetween(line));
  const unasked = shown.onUnasked && new UnattendedRequests(shown.onUnasked);
  let isOver = false;
  const complain = (error: Error) => {
    if (!isOver) tell(safe(error.message));
  };
  keyboard?.open();
  try {
    const asking: Asking = {
      answer: (requestId, answer) => void agentRun.answer(requestId, answer).catch(complain),
      interrupt: () => void agentRun.cancel('Interrupted.').catch(complain),
      ended: agentRun.result,
    };
    const asker = keyboard && new TerminalAsker(asking, view, keyboard);
    const explain = json ? undefined : shown.explain;
    const requests = asker ?? unasked;
    const { result, denied } = await showAll(agentRun, { view, requests, explain });
    // With a user present, or with everything allowed, a denial is not for lack of one.
    const isNobodysFault = atTerminal || permissionMode === 'allow-all';
    const code = exitCodeOf(result, denied > 0 && !isNobodysFault);
    if (code === EXIT.permissionDenied && !json)
      process.stderr.write(`${errorLines(deniedForNobody(denied, shown.deniedHint)).join('\n')}\n`);
    if (result.outcome === 'cancelled') await leaveUnread(code);
    return code;
  } finally {
    isOver = true;
    unasked?.end();
    keyboard?.close();
    release();
  }
}

type Showing = {
  view: View;
  /** Handles the requests of the agent. */
  requests: TerminalAsker | UnattendedRequests | undefined;
  explain: Explain | undefined;
};

async function showAll(
  agentRun: AgentRun,
  { view, requests, explain }: Showing,
): Promise<{ result: EventOf<'run.completed'>; denied: number }> {
  const denials = new Denials();
  let printed: string | undefined;
  for await (const event of agentRun) {
    if (event.type === 'run.completed') {
      const { error } = event;
      view.show(error && explain ? { ...event, error: await explain(error, printed) } : event);
      return { result: event, denied: denials.count };
    }
    view.show(event);
    requests?.see(event);
    denials.see(event);
    printed ??= strayLine(event);
    await drained(process.stdout, agentRun.result);
  }
  throw new Error('The run ended without a result.');
}

/** A line of the agent that is not in its language. */
function strayLine(event: AgentEvent): string | undefined {
  if (event.type === 'unparsed') return event.line;
  return event.type === 'notice' && event.code === 'text' ? event.message : undefined;
}

/**
 * Waits briefly for the output to drain, then exits: a run that is stopped because its reader is stuck must not wait
 * for that reader.
 */
async function leaveUnread(code: number): Promise<void> {
  const { promise: enough, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, READER_MS);
  await drained(process.stdout, enough);
  clearTimeout(timer);
  if (process.stdout.writableNeedDrain) process.exit(code);
}

function chooseView({ json, plain = false, verbose, continueWith, typedBackend }: Shown): View {
  if (json) return jsonView();
  return process.stdout.isTTY && !plain
    ? new TerminalView({ verbose, continueWith, typedBackend })
    : plainView({ verbose });
}
