import type { AgentEvent, AgentRun, ErrorInfo, EventOf, PermissionMode } from '@baton/protocol';
import { type Asking, TerminalAsker } from './ask.ts';
import { Denials, deniedForNobody } from './denial.ts';
import { drained } from './drained.ts';
import { EXIT, exitCodeOfRun } from './exit-codes.ts';
import { stopOnInterrupt } from './interrupts.ts';
import { Keyboard } from './keyboard.ts';
import { UnaskedRequests } from './unasked-requests.ts';
import { errorLines } from './view/error.ts';
import { jsonView } from './view/json.ts';
import { plainView } from './view/plain.ts';
import { safe } from './view/style.ts';
import { TerminalView } from './view/terminal.ts';
import type { View } from './view/view.ts';

/** How long a run that was stopped waits for somebody to read the rest of it. */
const READER_MS = 1000;

/** Says more of a failure, with the first line that the agent printed and nobody could read. */
export type Explain = (error: ErrorInfo, printed: string | undefined) => Promise<ErrorInfo>;

export type Shown = {
  json: boolean;
  verbose: boolean;
  /** Whether a person is there to see and to answer. */
  atTerminal: boolean;
  permissionMode: PermissionMode | undefined;
  /** The command that goes on from here, when that is not the agent's own session. */
  goOn?: string | undefined;
  tell(line: string): void;
  /** Gets what tells a line without spoiling what is shown, and what is being asked. */
  onReady?: ((tell: (line: string) => void) => void) | undefined;
  /** Called for a request that nobody here is asked, and that has not settled by itself. */
  onUnasked?: ((requestId: string) => void) | undefined;
  explain?: Explain | undefined;
};

/** Shows a run to its end, lets the person at the terminal answer and stop it, and gives the exit code. */
export async function showRun(agentRun: AgentRun, shown: Shown): Promise<number> {
  const { json, atTerminal, permissionMode, tell } = shown;
  const view = chooseView(shown);
  const keyboard = atTerminal ? new Keyboard() : undefined;
  const tellBetween = (line: string) => {
    view.pause?.();
    tell(line);
    view.resume?.();
  };
  // Whoever is asked something sees that the run is being stopped, and is not asked again.
  const release = stopOnInterrupt(agentRun, (line) =>
    keyboard?.isAsking ? tell(`\n${line}`) : tellBetween(line),
  );
  shown.onReady?.((line) => keyboard?.interject(line) || tellBetween(line));
  const unasked = shown.onUnasked && new UnaskedRequests(shown.onUnasked);
  let isOver = false;
  const complain = (error: Error) => {
    if (!isOver) tell(safe(error.message));
  };
  keyboard?.open();
  try {
    const asking: Asking = {
      answer: (requestId, answer) => {
        Promise.resolve(agentRun.answer(requestId, answer)).catch(complain);
      },
      interrupt: () => void agentRun.cancel('Interrupted.').catch(complain),
      ended: agentRun.result,
    };
    const asker = keyboard && new TerminalAsker(asking, view, keyboard);
    const explain = json ? undefined : shown.explain;
    const requests = asker ?? unasked;
    const { result, denied } = await showAll(agentRun, { view, requests, explain });
    // With a person there, or with everything allowed, a denial is nobody's absence.
    const isNobodysFault = atTerminal || permissionMode === 'allow-all';
    const code = exitCodeOfRun(result, denied > 0 && !isNobodysFault);
    if (code === EXIT.permissionDenied && !json)
      process.stderr.write(`${errorLines(deniedForNobody(denied)).join('\n')}\n`);
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
  /** Sees to what the agent asks. */
  requests: TerminalAsker | UnaskedRequests | undefined;
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

/** Whoever stops a run because its reader does not read must not have to wait for that reader. */
async function leaveUnread(code: number): Promise<void> {
  const { promise: enough, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, READER_MS);
  await drained(process.stdout, enough);
  clearTimeout(timer);
  if (process.stdout.writableNeedDrain) process.exit(code);
}

function chooseView({ json, verbose, goOn }: Shown): View {
  if (json) return jsonView();
  return process.stdout.isTTY ? new TerminalView({ verbose, goOn }) : plainView({ verbose });
}
