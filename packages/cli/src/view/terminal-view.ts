import { stripVTControlCharacters } from 'node:util';
import { type AgentEvent, actionLine, type EventOf, usageWords } from '@baton/protocol/values';
import { errorLines } from './error-lines.ts';
import { duration } from './format.ts';
import { quoted } from './launch-line.ts';
import { asked, oneLine, safe, style } from './style.ts';
import type { View } from './view.ts';
import { WaitingTimes } from './waiting-times.ts';
import { WordWrap, wrapForTerminal } from './word-wrap.ts';

const SPINNER = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const FRAME_MS = 100;
const CLEAR_LINE = '\r\u001b[2K';
const MARKS = {
  ok: ['green', '✓'],
  error: ['red', '✗'],
  denied: ['yellow', '⊘'],
  cancelled: ['yellow', '■'],
} as const;

type RunningTool = { callId: string; words: string; since: number };

type TerminalViewOptions = {
  verbose: boolean;
  /** The folder of the session of a daemon that is looked at. */
  attachedIn?: string | undefined;
  /** The command that continues from here; by default the one that resumes the agent's own session. */
  continueWith?: string | undefined;
  /** The name of the backend as it was typed. */
  typedBackend?: string | undefined;
};

/** Shows a run live at a terminal: streamed text, tools, and a status line. */
export class TerminalView implements View {
  #out = process.stdout;
  #kind: 'text' | 'thinking' | undefined;
  #midLine = false;
  #model: string | undefined;
  #started: EventOf<'run.started'> | undefined;
  #wrap = new WordWrap(() => this.#out.columns || 80);
  #status = '';
  #paused = false;
  /** Events that came while a question was shown. */
  #held: (() => void)[] = [];
  /** Between two runs nothing is at work. */
  #isAtWork = false;
  #frame = 0;
  #timer: NodeJS.Timeout | undefined;
  #since = Date.now();
  #tools = new Map<string, RunningTool>();
  #waiting = new WaitingTimes();
  #verbose: boolean;
  #attachedIn: string | undefined;
  #continueWith: string | undefined;
  #typedBackend: string | undefined;

  constructor({ verbose, attachedIn, continueWith, typedBackend }: TerminalViewOptions) {
    this.#verbose = verbose;
    this.#attachedIn = attachedIn;
    this.#continueWith = continueWith;
    this.#typedBackend = typedBackend;
  }

  show(event: AgentEvent): void {
    this.#orLater(() => this.#show(event));
  }

  say(line: string): void {
    this.#orLater(() => this.#line(line));
  }

  pause(): void {
    this.#endMessage();
    this.#paused = true;
    this.#rest();
  }

  resume(): void {
    this.#paused = false;
    for (const act of this.#held.splice(0)) this.#orLater(act);
    this.#draw();
  }

  #orLater(act: () => void): void {
    if (this.#paused) this.#held.push(act);
    else act();
  }

  #show(event: AgentEvent): void {
    this.#waiting.see(event);
    this.#isAtWork = event.type !== 'run.completed';
    switch (event.type) {
      case 'run.started':
        return this.#start(event);
      case 'run.identified':
        return this.#identified(event);
      case 'message.delta':
        return event.parentId ? undefined : this.#delta(event);
      case 'message.completed':
        return event.parentId ? undefined : this.#endMessage();
      case 'tool.started':
        this.#tools.set(event.callId, {
          callId: event.callId,
          words: actionLine(event.name, event.action, this.#cwd),
          since: Date.now(),
        });
        return this.#draw();
      case 'tool.completed':
        return this.#tool(event);
      case 'plan.updated':
        return this.#plan(event);
      case 'notice':
        return this.#notice(event);
      case 'unparsed':
        return this.#verbose
          ? this.#line(style(this.#out, 'dim', `? ${oneLine(event.line, this.#width)}`))
          : undefined;
      case 'run.completed':
        return this.#end(event);
    }
  }

  get #width(): number {
    return Math.max((this.#out.columns || 80) - 4, 20);
  }

  get #cwd(): string | undefined {
    return this.#started?.cwd ?? this.#attachedIn;
  }

  #start(event: EventOf<'run.started'>): void {
    this.#started = event;
    this.#model = event.model;
    const version = event.version === undefined ? [] : [`version ${event.version}`];
    const facts = [...version, ...(event.model === undefined ? [] : [event.model])].join(', ');
    const who = facts === '' ? event.backend : `${event.backend} (${facts})`;
    this.#line(style(this.#out, 'dim', `▸ ${safe(`${who} in ${event.cwd}`)}`));
    this.#draw();
  }

  /** Shows the model when it is not the one that was asked for. */
  #identified({ model }: EventOf<'run.identified'>): void {
    if (model === undefined || model === this.#model) return;
    this.#model = model;
    this.#line(style(this.#out, 'dim', `  ${safe(model)}`));
    this.#draw();
  }

  #delta(event: EventOf<'message.delta'>): void {
    this.#wipe();
    if (this.#kind !== event.kind) this.#endMessage();
    this.#kind = event.kind;
    // What is cut between two deltas is whole again in the words that come out.
    this.#say(asked(this.#wrap.push(stripVTControlCharacters(event.text))));
  }

  #say(text: string): void {
    if (text === '') return;
    this.#out.write(this.#kind === 'thinking' ? style(this.#out, ['dim', 'italic'], text) : text);
    this.#midLine = !text.endsWith('\n');
  }

  #endMessage(): void {
    if (this.#kind !== undefined) {
      this.#wipe();
      this.#say(asked(this.#wrap.end()));
      this.#out.write(this.#midLine ? '\n\n' : '\n');
    }
    this.#midLine = false;
    this.#kind = undefined;
    this.#since = Date.now();
    this.#draw();
  }

  #tool(event: EventOf<'tool.completed'>): void {
    this.#tools.delete(event.callId);
    const [colour, mark] = MARKS[event.outcome];
    const exit =
      event.action.type === 'command' && event.action.exitCode
        ? ` exit ${event.action.exitCode}`
        : '';
    const action = actionLine(event.name, event.action, this.#cwd);
    const words = oneLine(action, this.#width - 16);
    const indent = event.parentId ? '  ' : '';
    const took = event.outcome === 'denied' ? 'denied' : duration(event.durationMs ?? 0);
    const time = style(this.#out, 'dim', `${took}${exit}`);
    this.#line(`${indent}${style(this.#out, colour, mark)} ${words}  ${time}`);
    if (event.outcome === 'error' && event.output) {
      this.#line(style(this.#out, 'dim', `${indent}  ${oneLine(event.output, this.#width - 4)}`));
    }
    this.#since = Date.now();
  }

  #plan({ entries }: EventOf<'plan.updated'>): void {
    const marks = { completed: '☑', in_progress: '▣', pending: '☐' };
    for (const { text, status } of entries) {
      this.#line(style(this.#out, 'dim', `  ${marks[status]} ${oneLine(text, this.#width - 4)}`));
    }
  }

  #notice(event: EventOf<'notice'>): void {
    if (event.level === 'info' && !this.#verbose) return;
    const colour = event.level === 'error' ? 'red' : 'yellow';
    const mark =
      event.level === 'info' ? style(this.#out, 'dim', '·') : style(this.#out, colour, '!');
    this.#line(`${mark} ${style(this.#out, 'dim', oneLine(event.message, this.#width))}`);
  }

  #end(event: EventOf<'run.completed'>): void {
    this.#endMessage();
    this.#rest();
    const facts = [duration(event.durationMs), ...usageWords(event.usage)].join(' · ');
    if (event.outcome === 'done') {
      this.#out.write(
        `${style(this.#out, 'green', '✓ done')} ${style(this.#out, 'dim', `in ${facts}`)}\n`,
      );
    } else {
      const word = event.outcome.replace('_', ' ');
      this.#out.write(
        `${style(this.#out, 'red', `✗ ${word}`)} ${style(this.#out, 'dim', `after ${facts}`)}\n`,
      );
      if (event.error && event.outcome !== 'cancelled')
        process.stderr.write(`${errorLines(event.error).join('\n')}\n`);
    }
    if (event.stop?.state === 'unverified') {
      this.#out.write(
        `${style(this.#out, 'yellow', wrapForTerminal(this.#out, `! ${safe(event.stop.reason ?? 'Could not verify the stop.')}`))}\n`,
      );
    }
    const command = this.#continueWith ?? this.#resumeCommand(event);
    if (command) this.#out.write(style(this.#out, 'dim', ` resume with:\n  ${command}\n`));
  }

  #resumeCommand({ nativeSessionId: id }: EventOf<'run.completed'>): string | undefined {
    // A session of a daemon is resumed there.
    if (!id || !this.#started || this.#attachedIn !== undefined) return undefined;
    const { backend, cwd, model } = this.#started;
    return resumeCommand({ backend: this.#typedBackend ?? backend, id, cwd, model });
  }

  /** Prints a whole line above the status. */
  #line(text: string): void {
    this.#wipe();
    if (this.#kind !== undefined) this.#endMessage();
    this.#wipe();
    this.#out.write(`${text}\n`);
    this.#draw();
  }

  #draw(): void {
    if (this.#paused || !this.#isAtWork) return;
    this.#timer ??= setInterval(() => this.#tick(), FRAME_MS).unref();
  }

  #rest(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#wipe();
  }

  #tick(): void {
    if (this.#midLine) return;
    this.#frame = (this.#frame + 1) % SPINNER.length;
    const running = [...this.#tools.values()].at(-1);
    const more = this.#tools.size > 1 ? ` (+${this.#tools.size - 1})` : '';
    const words = running ? `${oneLine(running.words, this.#width - 20)}${more}` : 'working';
    const waited = running ? this.#waiting.of(running.callId) : 0;
    const since = duration(Date.now() - (running?.since ?? this.#since) - waited);
    this.#status = style(this.#out, 'dim', `${SPINNER[this.#frame]} ${words} ${since}`);
    this.#out.write(`${CLEAR_LINE}${this.#status}`);
  }

  #wipe(): void {
    if (this.#status === '') return;
    this.#status = '';
    this.#out.write(CLEAR_LINE);
  }
}

/** The command that resumes a session; agents look for it in the folder where it started. */
function resumeCommand(session: {
  backend: string;
  id: string;
  cwd: string;
  /** The model that the caller named. */
  model?: string | undefined;
}): string {
  const where = session.cwd === process.cwd() ? [] : ['--cwd', session.cwd];
  const model = session.model === undefined ? [] : ['--model', session.model];
  const words = ['--backend', session.backend, ...model, ...where, '--resume', session.id];
  return `baton run ${words.map((word) => quoted(oneLine(word, 1000))).join(' ')} "…"`;
}
