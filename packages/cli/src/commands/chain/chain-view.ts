import {
  type AgentEvent,
  type ChainEvent,
  type ChainState,
  type StepWorkspace,
  type Usage,
  usageWords,
  withoutLastBreaks,
} from '@baton/protocol/values';
import { duration } from '../../view/format.ts';
import { oneLine, safe, style } from '../../view/style.ts';
import { textWidth } from '../../view/text-width.ts';

/** Shows a chain run. */
export interface ChainView {
  /** Takes the events from before this process resumed the run. */
  continueFrom?(events: readonly ChainEvent[]): void;
  show(event: ChainEvent): void;
  showTask(step: string, event: AgentEvent): void;
  /** Prints a line that is not part of the run. */
  tell(line: string): void;
  pause?(): void;
  resume?(): void;
  /** Shows the end of the run. */
  end(): void;
  /** Stops showing the run, also if the run could not be started. */
  close?(): void;
}

export const STATUS_WORDS = {
  running: 'running',
  awaiting_approval: 'needs approval',
  interrupted: 'interrupted',
  done: 'done',
  failed: 'failed',
  timed_out: 'timed out',
  cancelled: 'stopped',
  skipped: 'skipped',
} as const;

const FORMATS = {
  running: 'cyan',
  awaiting_approval: 'yellow',
  interrupted: 'yellow',
  done: 'green',
  failed: 'red',
  timed_out: 'red',
  cancelled: 'yellow',
} as const;

/** The name of a chain with its status, time and cost. */
export function chainLine(out: NodeJS.WriteStream, chain: string, state: ChainState): string {
  const { status, activeMs, runningSince, usage } = state;
  const time = activeMs + (runningSince === undefined ? 0 : Date.now() - runningSince);
  const facts = [duration(time), ...usageWords(usage)].join(', ');
  const plain = `${chain}  ${STATUS_WORDS[status]}  ${facts}`;
  const width = out.columns || 80;
  if (out.isTTY && textWidth(plain) >= width) return oneLine(plain, width - 1);
  const word = style(out, FORMATS[status], STATUS_WORDS[status]);
  return `${style(out, 'bold', chain)}  ${word}  ${style(out, 'dim', facts)}`;
}

/** Formats the cost, if it is known. */
export function costWords(usage: Usage | undefined): string | undefined {
  return usageWords(usage && { ...usage, totalTokens: undefined })[0];
}

/** The worktrees of a run, one line each, with the steps that worked in it. */
export function worktreeLines({ steps }: ChainState): string[] {
  const users = new Map<string, string[]>();
  const worktrees = new Map<string, StepWorkspace>();
  for (const { step, workspace } of steps.values()) {
    if (!workspace) continue;
    worktrees.set(workspace.workspace_id, workspace);
    users.set(workspace.workspace_id, [...(users.get(workspace.workspace_id) ?? []), step]);
  }
  return [...worktrees.values()].map(
    ({ workspace_id: id, branch, path }) =>
      `Branch ${branch ?? '(detached)'} in ${path}: ${users.get(id)?.join(', ')}`,
  );
}

/** The output of the last step that has one, as the last line of a run on a terminal. */
export function outputLine(state: ChainState): string {
  const output = lastOutput(state);
  return output === undefined ? '' : `\n${safe(withoutLastBreaks(output))}\n`;
}

/** The output of the step that ended last. */
function lastOutput({ steps, outcome }: ChainState): string | undefined {
  if (outcome !== 'done') return undefined;
  const ended = [...steps.values()].filter(({ status, output }) => status === 'done' && output);
  return ended.toSorted((one, other) => (one.endedAt ?? 0) - (other.endedAt ?? 0)).at(-1)?.output;
}

/** One line per change on standard error, and the output of the last step on standard output. */
export class LineView implements ChainView {
  #verbose: boolean;
  #state: ChainState;

  constructor(state: ChainState, verbose: boolean) {
    this.#state = state;
    this.#verbose = verbose;
  }

  show(event: ChainEvent): void {
    const words = this.#words(event);
    if (words !== undefined) this.tell(safe(words));
  }

  showTask(step: string, event: AgentEvent): void {
    if (this.#verbose && event.type === 'notice') this.tell(safe(`${step}: ${event.message}`));
  }

  tell(line: string): void {
    process.stderr.write(`${line}\n`);
  }

  end(): void {
    const output = lastOutput(this.#state);
    if (output !== undefined) process.stdout.write(output);
  }

  #words(event: ChainEvent): string | undefined {
    switch (event.type) {
      case 'step.started':
        return event.backend === undefined
          ? undefined
          : `${event.step}: started (${event.backend})`;
      case 'step.completed': {
        const { step, outcome, error, usage } = event;
        const startedAt = this.#state.steps.get(step)?.startedAt ?? event.time;
        const cost = costWords(usage);
        const facts = [duration(event.time - startedAt), ...(cost === undefined ? [] : [cost])];
        const end =
          outcome === 'skipped' ? 'skipped' : `${STATUS_WORDS[outcome]} in ${facts.join(', ')}`;
        return `${step}: ${end}${error === undefined ? '' : `. ${error.message}`}`;
      }
      case 'step.placed': {
        const { cwd, branch } = event.workspace;
        return `${event.step}: works in ${cwd} on branch ${branch ?? '(detached)'}`;
      }
      case 'step.interrupted':
        return `${event.step}: was interrupted`;
      case 'approval.requested':
        return `${event.step}: needs approval. ${event.message}`;
      case 'chain.notice':
        return `${event.step === undefined ? '' : `${event.step}: `}${event.message}`;
      default:
        return undefined;
    }
  }
}

/** One event per line, for machines. */
export const jsonChainView: ChainView = {
  show: (event) => void process.stdout.write(`${JSON.stringify(event)}\n`),
  showTask: () => {},
  tell: (line) => void process.stderr.write(`${line}\n`),
  end: () => {},
};
