import { type Json, number, object, string } from '@baton/config/values/json';
import type { DialectOut, EventDraft } from '@baton/engine/definition/dialect';
import type { RpcId } from '@baton/engine/kit/json-rpc';
import { MessageAssembly } from '@baton/engine/kit/message-assembly';
import { agentWarning } from '@baton/engine/kit/notices';
import { planEntries } from '@baton/engine/normalize/actions';
import type { ErrorInfo, Usage } from '@baton/protocol/values';
import { codexError } from '../../dialects/codex-jsonl/errors.ts';
import { RetryNotices } from '../../dialects/codex-jsonl/retry-notices.ts';
import { minus, plus, readTokens, type Tokens, usageOf } from '../../dialects/codex-jsonl/usage.ts';
import { IGNORED, isNotice, noticeOf } from './app-server-notices.ts';
import { AppServerRequests } from './app-server-requests.ts';
import {
  messageIn,
  type Place,
  placeFields,
  rawThought,
  ThreadItems,
  Threads,
  ToolCalls,
} from './thread-items.ts';

/** Reads a notification; false when it turns out to be of no known kind. */
// biome-ignore lint/suspicious/noConfusingVoidType: most readers have nothing to return
type Reader = (params: Json, place: Place) => boolean | void;

const CONTENT: ReadonlySet<EventDraft['type']> = new Set([
  'message.started',
  'tool.started',
  'plan.updated',
  'question.requested',
]);

/** Turns the notifications and requests of an app server into events. */
export class AppServerEvents {
  readonly threads: Threads;
  /** The threads of sub-agents whose turns have not ended. */
  #workingSubagents = new Set<string>();
  readonly requests: AppServerRequests;
  /** The last error that Codex does not retry. */
  lastError: ErrorInfo | undefined;
  /** True if the turn had any content besides its end. */
  hasContent = false;
  #emit: (draft: EventDraft) => void;
  #isRecording: boolean;
  #messages: MessageAssembly;
  #calls: ToolCalls;
  #items: ThreadItems;
  #usage: TurnUsage;
  #retries: RetryNotices;
  #lastNotice = '';

  constructor(out: Pick<DialectOut, 'emit' | 'giveUp'>, options: { isRecording: boolean }) {
    this.#retries = new RetryNotices(out);
    const emit = (draft: EventDraft) => {
      if (CONTENT.has(draft.type)) {
        this.hasContent = true;
        this.#retries.reset();
      }
      out.emit(draft);
    };
    this.#emit = emit;
    this.#isRecording = options.isRecording;
    this.#messages = new MessageAssembly(emit);
    this.#calls = new ToolCalls(emit);
    this.#usage = new TurnUsage();
    this.threads = new Threads(() => this.#calls.subagentCall);
    this.requests = new AppServerRequests(emit, this.#calls);
    const { threads } = this;
    this.#items = new ThreadItems({ emit, messages: this.#messages, calls: this.#calls, threads });
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
    if (isDone) this.#warnOfSubagents();
    if (isDone) this.#calls.continueInBackground();
    else this.#calls.abandon();
    this.#messages.clear();
  }

  /** Codex does not wait for sub-agents that its model does not wait for; the end of its process ends them. */
  #warnOfSubagents(): void {
    const count = this.#workingSubagents.size;
    if (count === 0) return;
    const who = count === 1 ? 'A sub-agent was' : `${count} sub-agents were`;
    this.#emit({
      type: 'notice',
      level: 'warning',
      code: 'background_task',
      message: `${who} still working when Codex ended its turn. What they had not finished may be lost, and their usage is not complete.`,
      data: { threads: [...this.#workingSubagents] },
    });
  }

  /** Takes a request of Codex. */
  request(rpcId: RpcId, method: string, params: Json): ReturnType<AppServerRequests['receive']> {
    return this.requests.receive(rpcId, method, params, this.threads.place(params));
  }

  /** Handles a notification; false if it is unknown. */
  notification(method: string, params: Json): boolean {
    const read = this.#readers.get(method);
    if (read) return read(params, this.threads.place(params)) !== false;
    if (IGNORED.has(method)) return true;
    return isNotice(method) && this.#notice(noticeOf(method, params));
  }

  readonly #readers: ReadonlyMap<string, Reader> = readersOf({
    'thread/started': () => {},
    'turn/started': (_, { turnId, threadId, parentId }) => {
      this.#usage.begin(turnId ?? '');
      if (parentId !== undefined) this.#workingSubagents.add(threadId);
    },
    'turn/completed': ({ turn }, place) => this.#turnCompleted(object(turn), place),
    'item/started': ({ item }, place) => this.#items.start(object(item), place),
    'item/completed': ({ item }, place) => {
      if (this.#isRecording) this.requests.infer(object(item));
      return this.#items.complete(object(item), place);
    },
    'item/agentMessage/delta': ({ itemId, delta }, place) =>
      this.#messages.append(messageIn(place, text(itemId), 'text'), text(delta)),
    'item/reasoning/summaryTextDelta': ({ itemId, delta, summaryIndex }, place) =>
      this.#messages.append(
        messageIn(place, text(itemId), 'thinking'),
        text(delta),
        number(summaryIndex),
      ),
    'item/reasoning/textDelta': ({ itemId, delta, contentIndex }, place) =>
      this.#messages.append(
        messageIn(place, rawThought(text(itemId)), 'thinking'),
        text(delta),
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
      this.#emit({ type: 'plan.updated', entries: planEntries(plan) ?? [], ...placeFields(place) }),
    'thread/tokenUsage/updated': (params, place) => {
      const isOurs = this.#usage.add(params, place.threadId === this.threads.main);
      const { usage } = this.#usage;
      // The sum of the run, also when a sub-agent has added to it.
      if (isOurs && usage) this.#emit({ type: 'usage.updated', usage });
    },
    'serverRequest/resolved': ({ requestId }) => {
      if (!this.#isRecording) this.requests.resolved(requestId);
    },
    error: ({ error, willRetry }, place) => this.#failed(object(error), willRetry === true, place),
  });

  /** The end of the main turn is handled elsewhere; that of a sub-agent is reported only if it failed. */
  #turnCompleted(turn: Json, place: Place): void {
    this.#usage.end(place.turnId ?? '');
    this.#workingSubagents.delete(place.threadId);
    const failure = string(object(turn.error).message);
    if (place.parentId === undefined || failure === undefined) return;
    this.#emit(agentWarning(`A sub-agent failed: ${failure}`, placeFields(place)));
  }

  #failed(error: Json, willRetry: boolean, place: Place): void {
    const { message, additionalDetails, codexErrorInfo } = error;
    if (!willRetry) {
      if (place.parentId === undefined) this.lastError = codexError(text(message), codexErrorInfo);
      return;
    }
    this.#messages.breakOff(place.threadId);
    const words = [text(message), string(additionalDetails) && `(${string(additionalDetails)})`];
    const said = words.filter(Boolean).join(' ');
    this.#retries.report({ message: said, info: codexErrorInfo, place: placeFields(place) });
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

/** The counters of a thread before the turn and now, and what the turn spent before they started again. */
type ThreadTokens = { before: Tokens; total: Tokens; spent: Tokens };

const NOTHING = readTokens({});

function spentOf({ before, total, spent }: ThreadTokens): Tokens {
  return plus(spent, minus(total, before));
}

function hasTokens(value: unknown): boolean {
  const { input, output } = readTokens(value);
  return input + output > 0;
}

/** After a prompt that is too long, Codex puts the size of the context in place of the total and clears the rest. */
function isCount(total: unknown): boolean {
  return hasTokens(total) || !number(object(total).totalTokens);
}

/** Adds up what a turn consumes, the sub-agents that it started included. */
export class TurnUsage {
  #turns = new Set<string>();
  #threads = new Map<string, ThreadTokens>();
  #context: Pick<Usage, 'contextWindow' | 'contextTokens'> = {};

  /** Forgets what was counted before. */
  reset(): void {
    this.#turns.clear();
    this.#threads.clear();
  }

  /** A turn has begun: from now on its counts are ours. */
  begin(turnId: string): void {
    this.#turns.add(turnId);
  }

  /** A turn is over. A thread that is forked or resumed repeats the last count of a turn like that. */
  end(turnId: string): void {
    this.#turns.delete(turnId);
  }

  /** Adds a count; false when it is of a turn that is not running. */
  add(params: Json, isMain: boolean): boolean {
    if (!this.#turns.has(string(params.turnId) ?? '')) return false;
    const { total, last, modelContextWindow } = object(params.tokenUsage);
    const threadId = string(params.threadId) ?? '';
    const sum = readTokens(total);
    const known = this.#threads.get(threadId);
    if (!isCount(total)) {
      // The counters of the thread start again at zero.
      if (known)
        this.#threads.set(threadId, { before: NOTHING, total: NOTHING, spent: spentOf(known) });
      return false;
    }
    // Totals count the whole thread; the first one of a turn tells what came before it.
    if (!known && !hasTokens(last)) return false;
    const before = known?.before ?? minus(sum, readTokens(last));
    this.#threads.set(threadId, { before, total: sum, spent: known?.spent ?? NOTHING });
    if (isMain) {
      this.#context = {
        contextWindow: number(modelContextWindow),
        contextTokens: number(object(last).totalTokens),
      };
    }
    return true;
  }

  /** The usage of the turn so far; undefined if unknown. */
  get usage(): Usage | undefined {
    const counts = [...this.#threads.values()].map(spentOf);
    if (counts.length === 0) return undefined;
    return { ...usageOf(counts.reduce(plus)), ...this.#context };
  }
}
