import {
  applyChainEvent,
  type ChainEvent,
  type ChainState,
  emptyChainState,
  foldChain,
  type OutlineStep,
  type StepState,
} from '@baton/protocol/values';
import { EXIT } from '../../exit-codes.ts';
import { shortId } from '../../remote/find-one.ts';
import { errorLines } from '../../view/error-lines.ts';
import { quoted } from '../../view/launch-line.ts';
import type { ChainHooks, ChainPlace, WatchedChain } from './chain-place.ts';
import { type ChainView, jsonChainView, LineView } from './chain-view.ts';
import type { TerminalQuestions } from './terminal-questions.ts';
import { TreeView } from './tree-view.ts';

/** The exit code of a chain that took too long, as of the command `timeout`. */
const TIMED_OUT = 124;

type ShownChain = {
  json: boolean;
  verbose: boolean;
  chain: string;
  outline: readonly OutlineStep[];
  /** Of the run, before it has an id: a new run has none. */
  before?: readonly ChainEvent[] | undefined;
  /** Asks the person at the terminal; nothing without a terminal. */
  questions: TerminalQuestions | undefined;
};

/** Starts a chain, shows it to its end, stops it on Ctrl-C, and gives the exit code. */
export async function showChain(
  place: ChainPlace,
  start: (hooks: ChainHooks) => Promise<WatchedChain>,
  shown: ShownChain,
): Promise<number> {
  const state = emptyChainState();
  const view = viewFor(shown, state);
  let runId: string | undefined;
  const over = new AbortController();
  const { questions } = shown;
  const stop = () => {
    // What is stored decides, so that a second process that runs the chain stops too.
    if (runId !== undefined) void place.stop(runId, 'Interrupted.').catch(report);
    else process.exit(EXIT.interrupted);
  };
  const report = (error: Error) => view.tell(error.message);
  const release = onInterrupts(stop, (line) => view.tell(line));
  const open = new Map<string, AbortController>();
  const ask = (step: string, message: string) => {
    if (!questions) return;
    const settled = new AbortController();
    open.set(step, settled);
    const signal = AbortSignal.any([over.signal, settled.signal]);
    void questions.approval(step, message, signal).then((decision) => {
      if (!decision || runId === undefined || settled.signal.aborted) return undefined;
      return place.answer(runId, step, decision).catch(report);
    });
  };
  const onEvent = (event: ChainEvent) => {
    applyChainEvent(state, event);
    view.show(event);
    if (event.type === 'approval.requested') ask(event.step, event.message);
    // Somebody else may have decided, on the page or in another terminal.
    if (event.type === 'approval.answered') open.get(event.step)?.abort();
  };
  const { before = [] } = shown;
  for (const event of before) applyChainEvent(state, event);
  view.continueFrom?.(before);
  questions?.open(view, stop);
  try {
    const { record, done } = await start({
      onEvent: (event) => {
        // A run that is resumed here repeats what is known of it.
        if (event.seq > (before.at(-1)?.seq ?? 0)) onEvent(event);
      },
      onTaskEvent: (step, event) => {
        view.showTask(step, event);
        const isAsking =
          event.type === 'permission.requested' || event.type === 'question.requested';
        if (isAsking && place.runsOnlyTrusted) {
          view.tell(`${step}: needs input. Answer with "baton answer" or on the page.`);
        }
      },
    });
    runId = record.chain_run_id;
    if (!shown.json) view.tell(`Chain run ${shortId(runId)}`);
    // Those that were asked before this process resumed the run.
    for (const { step, message = '' } of [...foldChain(before).steps.values()].filter(isPending)) {
      ask(step, message);
    }
    const end = await done;
    over.abort();
    view.end();
    return exitCode(end, runId, shown.json);
  } finally {
    over.abort();
    questions?.close();
    view.close?.();
    release();
  }
}

function viewFor({ json, verbose, chain, outline, questions }: ShownChain, state: ChainState) {
  if (json) return jsonChainView;
  const isTerminal = process.stdout.isTTY && (questions !== undefined || !verbose);
  const view: ChainView = isTerminal ? new TreeView(chain, outline) : new LineView(state, verbose);
  return view;
}

/** The first Ctrl-C stops every running step; a second one ends this program with all agents at once. */
function onInterrupts(stop: () => void, tell: (line: string) => void): () => void {
  let isStopping = false;
  const onSignal = () => {
    if (isStopping) process.exit(EXIT.interrupted);
    isStopping = true;
    tell('Stopping. Press Ctrl-C again to force.');
    stop();
  };
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  for (const signal of signals) process.on(signal, onSignal);
  return () => {
    for (const signal of signals) process.off(signal, onSignal);
  };
}

function exitCode({ status, error, steps }: ChainState, runId: string, json: boolean): number {
  const id = shortId(runId);
  const tell = (lines: readonly string[]) => {
    if (!json) process.stderr.write(`${lines.join('\n')}\n`);
  };
  switch (status) {
    case 'done':
      return EXIT.done;
    case 'awaiting_approval':
      for (const { step } of [...steps.values()].filter(isPending)) {
        tell([`Needs approval: "baton chain approve ${id} ${quoted(step)}", or with --reject.`]);
      }
      tell([`Then continue with "baton chain resume ${id}".`]);
      return EXIT.permissionDenied;
    case 'cancelled':
      return EXIT.interrupted;
    case 'timed_out':
      tell(error ? errorLines(error) : ['The chain timed out.']);
      return TIMED_OUT;
    default:
      if (error) tell(errorLines({ ...error, hint: error.hint?.replace(' ID ', ` ${id} `) }));
      return EXIT.failed;
  }
}

function isPending({ status }: StepState): boolean {
  return status === 'awaiting_approval';
}
