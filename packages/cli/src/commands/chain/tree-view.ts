import {
  type AgentEvent,
  actionLine,
  applyChainEvent,
  type ChainEvent,
  emptyChainState,
  type OutlineStep,
  type StepState,
  type StepStatus,
} from '@baton/protocol/values';
import { duration } from '../../view/format.ts';
import { oneLine, safe, style } from '../../view/style.ts';
import { textWidth } from '../../view/text-width.ts';
import { type ChainView, chainLine, costWords, outputLine, worktreeLines } from './chain-view.ts';

type Format = Parameters<typeof style>[1];

const TICK_MS = 1000;
const LOOKS: Readonly<Record<StepStatus | 'waiting', readonly [mark: string, format: Format]>> = {
  waiting: ['○', 'dim'],
  running: ['●', 'cyan'],
  awaiting_approval: ['?', 'yellow'],
  interrupted: ['!', 'yellow'],
  done: ['✓', 'green'],
  failed: ['✗', 'red'],
  timed_out: ['✗', 'red'],
  cancelled: ['■', 'yellow'],
  skipped: ['–', 'dim'],
};

type Row = {
  depth: number;
  name: string;
  agent: string;
  state: StepState | undefined;
  path: string;
};

/** A live tree of the steps on a terminal, with the agent, duration, cost and current activity of each. */
export class TreeView implements ChainView {
  #out = process.stdout;
  #outline: readonly OutlineStep[];
  #chain: string;
  #state = emptyChainState();
  #doing = new Map<string, string>();
  #drawn = 0;
  #isPaused = false;
  #isOver = false;
  #isDue = false;
  #tick = setInterval(() => this.#draw(), TICK_MS);

  constructor(chain: string, outline: readonly OutlineStep[]) {
    this.#chain = chain;
    this.#outline = outline;
  }

  continueFrom(events: readonly ChainEvent[]): void {
    for (const event of events) applyChainEvent(this.#state, event);
  }

  show(event: ChainEvent): void {
    applyChainEvent(this.#state, event);
    this.#drawSoon();
  }

  showTask(step: string, event: AgentEvent): void {
    const words = doingWords(event);
    if (words === undefined || this.#doing.get(step) === words) return;
    this.#doing.set(step, words);
    this.#drawSoon();
  }

  tell(line: string): void {
    this.pause();
    process.stderr.write(`${line}\n`);
    this.resume();
  }

  /** Leaves the terminal to a question. */
  pause(): void {
    this.#erase();
    this.#isPaused = true;
  }

  resume(): void {
    this.#isPaused = false;
    this.#draw();
  }

  end(): void {
    this.#isPaused = false;
    this.#draw(true);
    this.#drawn = 0;
    this.close();
    for (const line of worktreeLines(this.#state)) this.#out.write(`${safe(line)}\n`);
    this.#out.write(outputLine(this.#state));
  }

  close(): void {
    clearInterval(this.#tick);
    this.#erase();
    this.#isOver = true;
  }

  /** Many events come at once; the screen needs only the last. */
  #drawSoon(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    setImmediate(() => {
      this.#isDue = false;
      this.#draw();
    });
  }

  #draw(isLast = false): void {
    if (this.#isPaused || this.#isOver) return;
    const rows = [...rowsOf(this.#outline, '', 0, this.#state.steps)];
    // A taller picture would scroll, and could not be drawn over.
    const room = isLast ? rows.length : Math.max(3, (this.#out.rows || 24) - 4);
    const first = rows.length > room ? firstShown(rows, room) : 0;
    const shown = rows.slice(first, first + room);
    const after = rows.length - first - shown.length;
    const widths = {
      name: Math.max(...shown.map(({ depth, name }) => 2 * depth + textWidth(name)), 4),
      agent: Math.max(...shown.map(({ agent }) => textWidth(agent)), 0),
    };
    const lines = [
      chainLine(this.#out, this.#chain, this.#state),
      ...(first > 0 ? [style(this.#out, 'dim', `  … ${first} before`)] : []),
      ...shown.map((row) => this.#line(row, widths)),
      ...(after > 0 ? [style(this.#out, 'dim', `  … ${after} more`)] : []),
    ];
    this.#erase();
    this.#out.write(`${lines.join('\n')}\n`);
    this.#drawn = lines.length;
  }

  #erase(): void {
    if (this.#drawn > 0) this.#out.write(`\u001b[${this.#drawn}F\u001b[J`);
    this.#drawn = 0;
  }

  #line({ depth, name, agent, state, path }: Row, widths: { name: number; agent: number }): string {
    const status = state?.status ?? 'waiting';
    const [mark, format] = LOOKS[status];
    const left = `${'  '.repeat(depth)}${name}`;
    const facts = state ? factsOf(state) : '';
    const plain = `  ${mark} ${padded(left, widths.name)}  ${padded(agent, widths.agent)}  ${facts}`;
    const width = (this.#out.columns || 80) - 1;
    if (textWidth(plain.trimEnd()) > width) return oneLine(`  ${mark} ${left}  ${facts}`, width);
    const doing = status === 'running' ? this.#doing.get(path) : state?.error?.message;
    const rest = doing === undefined ? '' : oneLine(doing, width - textWidth(plain) - 2);
    const dimmed = style(this.#out, 'dim', `${padded(agent, widths.agent)}  ${facts}`);
    const text = `  ${style(this.#out, format, mark)} ${padded(left, widths.name)}  ${dimmed}`;
    return rest === '' ? text.trimEnd() : `${text}  ${style(this.#out, 'dim', rest)}`;
  }
}

/** The steps of an outline, with the iterations that have begun. */
function* rowsOf(
  steps: readonly OutlineStep[],
  prefix: string,
  depth: number,
  states: ReadonlyMap<string, StepState>,
): Generator<Row> {
  for (const step of steps) {
    const path = prefix + step.id;
    const agent = step.backend ?? (step.kind === 'agent' ? '' : KIND_WORDS[step.kind]);
    yield { depth, name: step.id, agent, state: states.get(path), path };
    if (step.kind === 'parallel') {
      yield* rowsOf(step.steps ?? [], `${path}/`, depth + 1, states);
      continue;
    }
    for (let iteration = 1; ; iteration += 1) {
      const key = `${path}#${iteration}`;
      const state = states.get(key);
      const inner = step.steps ?? [];
      const hasBegun = state || inner.some(({ id }) => states.has(`${key}/${id}`));
      if (!hasBegun) break;
      yield { depth: depth + 1, name: `#${iteration}`, agent: '', state, path: key };
      yield* rowsOf(inner, `${key}/`, depth + 2, states);
    }
  }
}

const KIND_WORDS = {
  agent: '',
  parallel: 'parallel',
  loop: 'loop',
  forEach: 'for each',
  approval: 'approval',
} as const;

/** Returns the first row of a window that shows the running steps and some steps before them. */
function firstShown(rows: readonly Row[], room: number): number {
  const running = rows.findIndex(({ state, depth }, index) => {
    const isContainer = (rows[index + 1]?.depth ?? 0) > depth;
    return state?.status === 'running' && !isContainer;
  });
  const wanted = (running === -1 ? rows.length : running) - Math.floor(room / 3);
  return Math.max(0, Math.min(wanted, rows.length - room));
}

function factsOf({ startedAt, endedAt, usage, attempts, status }: StepState): string {
  if (status === 'skipped') return 'skipped';
  const cost = costWords(usage);
  return [
    duration((endedAt ?? Date.now()) - startedAt),
    ...(cost === undefined ? [] : [cost]),
    ...(attempts > 1 ? [`attempt ${attempts}`] : []),
  ].join(', ');
}

/** Describes the current activity of an agent in a few words. */
function doingWords(event: AgentEvent): string | undefined {
  if (event.type === 'tool.started') return actionLine(event.name, event.action);
  if (event.type === 'permission.requested') {
    return `needs permission: ${actionLine(event.tool, event.action)}`;
  }
  if (event.type === 'question.requested') return 'asks a question';
  if (event.type === 'message.started') return event.kind === 'thinking' ? 'thinking' : 'writing';
  return undefined;
}

function padded(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - textWidth(text)));
}
