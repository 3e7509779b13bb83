import type { BatonClient, PendingRecord } from '@baton/client';
import {
  BatonError,
  isTaskEvent,
  type LogEvent,
  type PermissionRequest,
  type PermissionScope,
  type RequestAnswer,
  type SessionRecord,
  type TaskEvent,
} from '@baton/protocol/values';
import { TerminalAsker } from '../terminal/ask.ts';
import type { Keyboard } from '../terminal/keyboard.ts';
import { safe, style } from '../view/style.ts';
import { TerminalView } from '../view/terminal-view.ts';
import { logText } from './log-text.ts';

const out = process.stdout;
const TRY_AGAIN = '! When the daemon is back, list pending requests with "baton answer".';

/** The daemon supports every scope, whatever the agent itself can remember. */
const SCOPES: PermissionScope[] = ['once', 'session', 'always'];

type ScreenOptions = {
  client: BatonClient;
  session: SessionRecord;
  verbose: boolean;
  /** Without one, no requests are asked. */
  keyboard: Keyboard | undefined;
  /** Called when Ctrl-C is pressed instead of an answer. */
  leave(): void;
};

/** Shows a session of a daemon on a terminal, and asks its requests. */
export class SessionScreen {
  readonly view: TerminalView;
  #options: ScreenOptions;
  #tasks = new Map<string, { asker: TerminalAsker | undefined; end(): void }>();
  /** Requests up to this cursor came from the inbox. */
  #askedThrough = 0;

  constructor(options: ScreenOptions) {
    this.#options = options;
    const { verbose, session } = options;
    this.view = new TerminalView({ verbose, attachedIn: session.cwd });
  }

  /** Shows a message immediately, even while a question is open. */
  sayAtOnce(line: string): void {
    if (!this.#options.keyboard?.interject(line)) this.view.say(line);
  }

  /** The tasks that have begun and not ended. */
  get running(): string[] {
    return [...this.#tasks.keys()];
  }

  /** Called when a task is running. */
  begin(taskId: string): void {
    this.#taskOf(taskId);
  }

  /** Asks for the answer to a pending request. */
  ask({ task_id, kind, request }: PendingRecord): void {
    this.#askedThrough = Math.max(this.#askedThrough, request.cursor);
    const { asker } = this.#taskOf(task_id);
    if (kind === 'question') asker?.ask({ kind, request });
    else asker?.ask({ kind, request: { ...request, scopes: scopesOf(request) } });
  }

  /** Shows an event. Requests of past events are not asked. */
  show(event: LogEvent, isPast: boolean): void {
    if (isTaskEvent(event)) this.view.show(event);
    else this.#showOwn(event);
    if (isPast || !('taskId' in event) || event.taskId === undefined) return;
    const { taskId } = event;
    if (event.type === 'task.started') this.begin(taskId);
    if (event.type === 'answer.given') this.#tasks.get(taskId)?.asker?.settle(event.requestId);
    if (!isTaskEvent(event)) return;
    const isAsked = event.type.endsWith('.requested') && event.cursor <= this.#askedThrough;
    if (!isAsked) this.#taskOf(taskId).asker?.see(withScopes(event));
    if (event.type !== 'run.completed') return;
    this.#tasks.get(taskId)?.end();
    this.#tasks.delete(taskId);
  }

  #showOwn(event: LogEvent): void {
    const text = event.type === 'session.created' ? undefined : logText(event);
    if (text === undefined) return;
    const isPrompt = event.type === 'prompt.queued' || event.type === 'prompt.edited';
    this.view.say(style(out, isPrompt ? 'bold' : 'dim', text));
  }

  #taskOf(taskId: string) {
    const known = this.#tasks.get(taskId);
    if (known) return known;
    const { keyboard, session, leave } = this.#options;
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    const asker =
      keyboard &&
      new TerminalAsker(
        {
          answer: (requestId, answer) => void this.#answer(taskId, requestId, answer),
          interrupt: leave,
          ended,
          cwd: session.cwd,
        },
        this.view,
        keyboard,
      );
    const task = { asker, end };
    this.#tasks.set(taskId, task);
    return task;
  }

  async #answer(taskId: string, requestId: string, answer: RequestAnswer): Promise<void> {
    const { client, session } = this.#options;
    const place = { session_id: session.session_id, task_id: taskId, request_id: requestId };
    try {
      const { receipt } = await client.permissions.answer({ ...place, answer });
      if (receipt === 'late') this.view.say('! Too late: already answered.');
    } catch (error) {
      const words = error instanceof Error ? error.message : String(error);
      this.view.say(`! Could not confirm the answer was delivered: ${safe(words)}`);
      const isLost = BatonError.is(error) && error.code === 'daemon_unreachable';
      if (isLost) await this.#askAgain(taskId, requestId).catch(() => this.view.say(TRY_AGAIN));
    }
  }

  /** Asks a request again if it is still pending on the daemon. */
  async #askAgain(taskId: string, requestId: string): Promise<void> {
    const { client, session } = this.#options;
    const { data } = await client.permissions.find({ session_id: session.session_id });
    const waits = data.find((each) => each.task_id === taskId && each.request_id === requestId);
    if (waits) this.ask(waits);
  }
}

function withScopes(event: TaskEvent): TaskEvent {
  return event.type === 'permission.requested' ? { ...event, scopes: scopesOf(event) } : event;
}

/** Returns the scopes of a request. An answer about a plan applies to that plan only. */
function scopesOf({ action }: Pick<PermissionRequest, 'action'>): PermissionScope[] {
  return action.type === 'plan' ? ['once'] : SCOPES;
}
