import type { ErrorInfo, Usage } from '@baton/protocol';
import type { DialectOut, EventDraft } from '../../dialect.ts';
import { planEntries } from '../../normalize/actions.ts';
import { type Json, number, object, string } from '../../normalize/json.ts';
import { IGNORED, isNotice, noticeOf } from './app-server-notices.ts';
import { codexError } from './errors.ts';
import { Requests } from './requests.ts';
import { Retries } from './retries.ts';
import type { RpcId } from './rpc.ts';
import { Speech } from './speech.ts';
import { rawThought, ThreadItems } from './thread-items.ts';
import { type Place, placed, Threads } from './threads.ts';
import { ToolCalls } from './tool-calls.ts';
import { TurnUsage } from './turn-usage.ts';
import type { Prices } from './usage.ts';

/** Reads a notification; false when it turns out to be of no known kind. */
// biome-ignore lint/suspicious/noConfusingVoidType: most readers have nothing to return
type Reader = (params: Json, place: Place) => boolean | void;

const CONTENT: ReadonlySet<EventDraft['type']> = new Set([
  'message.started',
  'tool.started',
  'plan.updated',
  'question.requested',
]);

/** Turns what an app server tells and asks into events. */
export class AppServerEvents {
  readonly threads: Threads;
  readonly requests: Requests;
  /** The last failure that Codex does not try to mend. */
  lastError: ErrorInfo | undefined;
  /** Whether the turn brought anything but its end. */
  hasContent = false;
  #emit: (draft: EventDraft) => void;
  #isRecording: boolean;
  #speech: Speech;
  #calls: ToolCalls;
  #items: ThreadItems;
  #usage: TurnUsage;
  #retries: Retries;
  #lastNotice = '';

  constructor(
    out: Pick<DialectOut, 'emit' | 'giveUp'>,
    options: { isRecording: boolean; prices?: Prices | undefined },
  ) {
    this.#retries = new Retries(out);
    const emit = (draft: EventDraft) => {
      if (CONTENT.has(draft.type)) {
        this.hasContent = true;
        this.#retries.reset();
      }
      out.emit(draft);
    };
    this.#emit = emit;
    this.#isRecording = options.isRecording;
    this.#speech = new Speech(emit);
    this.#calls = new ToolCalls(emit);
    this.#usage = new TurnUsage(options.prices);
    this.threads = new Threads(() => this.#calls.subagentCall);
    this.requests = new Requests(emit, this.#calls);
    const { threads } = this;
    this.#items = new ThreadItems({ emit, speech: this.#speech, calls: this.#calls, threads });
  }

  get usage(): Usage | undefined {
    return this.#usage.usage;
  }

  /** Another turn begins: what was counted before is not its own. */
  beginTurn(): void {
    this.#usage.reset();
    this.lastError = undefined;
    this.hasContent = false;
    this.#retries.reset();
  }

  /** The turn of the run is over. */
  endTurn(isDone: boolean): void {
    if (isDone) this.#calls.leave();
    else this.#calls.abandon();
    this.#speech.reset();
  }

  /** Takes a request of Codex. */
  asked(rpcId: RpcId, method: string, params: Json): ReturnType<Requests['take']> {
    return this.requests.take(rpcId, method, params, this.threads.place(params));
  }

  /** Takes a notification; false when nobody knows what it is. */
  told(method: string, params: Json): boolean {
    const read = this.#readers.get(method);
    if (read) return read(params, this.threads.place(params)) !== false;
    if (IGNORED.has(method)) return true;
    return isNotice(method) && this.#notice(noticeOf(method, params));
  }

  readonly #readers: ReadonlyMap<string, Reader> = readersOf({
    'thread/started': () => {},
    'turn/started': (_, { turnId }) => this.#usage.begin(turnId ?? ''),
    'turn/completed': ({ turn }, place) => this.#turnCompleted(object(turn), place),
    'item/started': ({ item }, place) => this.#items.start(object(item), place),
    'item/completed': ({ item }, place) => {
      if (this.#isRecording) this.requests.infer(object(item));
      return this.#items.complete(object(item), place);
    },
    'item/agentMessage/delta': ({ itemId, delta }, place) =>
      this.#speech.say(text(itemId), 'text', text(delta), place),
    'item/reasoning/summaryTextDelta': ({ itemId, delta, summaryIndex }, place) =>
      this.#speech.say(text(itemId), 'thinking', text(delta), place, number(summaryIndex)),
    'item/reasoning/textDelta': ({ itemId, delta, contentIndex }, place) =>
      this.#speech.say(
        rawThought(text(itemId)),
        'thinking',
        text(delta),
        place,
        number(contentIndex),
      ),
    'item/commandExecution/outputDelta': ({ itemId, delta }) =>
      this.#calls.output(text(itemId), text(delta)),
    'item/fileChange/outputDelta': ({ itemId, delta }) =>
      this.#calls.output(text(itemId), text(delta)),
    'item/fileChange/patchUpdated': (params) => this.#calls.patch(text(params.itemId), params),
    'item/mcpToolCall/progress': ({ itemId, message }) =>
      this.#calls.output(text(itemId), text(message)),
    'turn/plan/updated': ({ plan }, place) =>
      this.#emit({ type: 'plan.updated', entries: planEntries(plan) ?? [], ...placed(place) }),
    'thread/tokenUsage/updated': (params, place) => {
      const isOurs = this.#usage.take(params, place.threadId === this.threads.main);
      const { usage } = this.#usage;
      // The sum of the run, also when a sub-agent has added to it.
      if (isOurs && usage) this.#emit({ type: 'usage.updated', usage });
    },
    'serverRequest/resolved': ({ requestId }) => {
      if (!this.#isRecording) this.requests.resolved(requestId);
    },
    error: ({ error, willRetry }, place) => this.#failed(object(error), willRetry === true, place),
  });

  /** The end of the main turn is judged elsewhere; that of a sub-agent is news only when it failed. */
  #turnCompleted(turn: Json, place: Place): void {
    this.#usage.end(place.turnId ?? '');
    const failure = string(object(turn.error).message);
    if (place.parentId === undefined || failure === undefined) return;
    const message = `A sub-agent failed: ${failure}`;
    this.#emit({
      type: 'notice',
      level: 'warning',
      code: 'agent_warning',
      message,
      ...placed(place),
    });
  }

  #failed(error: Json, willRetry: boolean, place: Place): void {
    const { message, additionalDetails, codexErrorInfo } = error;
    if (!willRetry) {
      if (place.parentId === undefined) this.lastError = codexError(text(message), codexErrorInfo);
      return;
    }
    this.#speech.breakOff(place.threadId);
    const words = [text(message), string(additionalDetails) && `(${string(additionalDetails)})`];
    const said = words.filter(Boolean).join(' ');
    this.#retries.take({ message: said, info: codexErrorInfo, place: placed(place) });
  }

  /** Codex repeats some of its notices after every answer of the model. */
  #notice(draft: EventDraft | undefined): true {
    if (draft?.type !== 'notice') return true;
    const key = `${draft.code} ${draft.message}`;
    if (key !== this.#lastNotice) this.#emit(draft);
    this.#lastNotice = key;
    return true;
  }
}

/** A map finds the name in a line that was just read in a third of the time that an object takes. */
function readersOf(readers: Readonly<Record<string, Reader>>): ReadonlyMap<string, Reader> {
  return new Map(Object.entries(readers));
}

function text(value: unknown): string {
  return string(value) ?? '';
}
