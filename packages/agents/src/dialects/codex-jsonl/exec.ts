import { type Json, object, parseJson, string } from '@baton/config/values/json';
import type { Dialect, DialectOut, EventDraft } from '@baton/engine/definition/dialect';
import { agentWarning } from '@baton/engine/kit/notices';
import { planEntries } from '@baton/engine/normalize/actions';
import { strayLine } from '@baton/engine/normalize/stray-line';
import { codexError, emptyTurnWarning, judgeCodexEnd } from './errors.ts';
import { RetryNotices } from './retry-notices.ts';
import { outcomeOf, toolOf } from './tools.ts';
import { minus, readTokens, type Tokens, usageOf } from './usage.ts';

/** Facts that are known before `codex exec` prints anything. */
export type ExecOptions = {
  /**
   * Earlier usage of the thread, because Codex counts from its beginning; `unknown` for a thread that cannot be read.
   */
  earlier?: Tokens | 'unknown' | undefined;
  /** Returns the usage of a thread so far, for a turn that was stopped: Codex reports it only at the end of a turn. */
  noted?: (threadId: string) => Tokens | undefined;
  /** Notices to emit before the run. */
  notices?: readonly EventDraft[];
};

/** True if a line, even a truncated one, can only come from `codex exec --json`. */
export function isExecLine(line: string): boolean {
  const { type } = object(parseJson(line));
  if (typeof type === 'string')
    return /^(?:(?:thread|turn|item)\.[a-z]+|session\.created|error)$/.test(type);
  return /^\{"type":"(?:thread|turn|item)\./.test(line);
}

/** Reads `codex exec --json`, which reports whole items and cannot be talked to. */
export function execDialect(out: DialectOut, options: ExecOptions = {}): Dialect {
  let isOpen = true;
  let hasBegun = false;
  let understood = false;
  let processes = 0;
  let saidAnything = false;
  let lastError: string | undefined;
  let earlier = options.earlier;
  let threadId: string | undefined;
  const retries = new RetryNotices(out);

  const unnamed = new UnnamedItems();

  /** Items are counted anew by every process, and a recording may hold several. */
  const idOf = (item: Json, isOver: boolean) => {
    const id = string(item.id) ?? unnamed.idOf(item, isOver);
    return processes > 1 ? `${id}#${processes}` : id;
  };
  const readItem = (emitItem: typeof itemStarted, frame: Json, line: string) => {
    const item = execItem(object(frame.item));
    if (item.type !== 'error') {
      saidAnything = true;
      retries.reset();
    }
    if (!emitItem(item, idOf(item, emitItem === itemCompleted), out.emit))
      out.emit({ type: 'unparsed', source: 'stdout', line });
  };

  const identify = (id: unknown) => {
    processes += 1;
    const nativeSessionId = string(id);
    if (!nativeSessionId) return;
    if (threadId !== undefined && threadId !== nativeSessionId) earlier = undefined;
    threadId = nativeSessionId;
    out.emit({ type: 'run.identified', nativeSessionId });
  };

  const consumed = (total: Tokens) =>
    earlier === 'unknown' ? undefined : usageOf(minus(total, earlier ?? readTokens({})));

  const readers: Readonly<Record<string, (frame: Json, line: string) => void>> = {
    'thread.started': (frame) => identify(frame.thread_id),
    // Release 0.44.
    'session.created': (frame) => identify(frame.session_id),
    'turn.started': () => {
      isOpen = true;
      hasBegun = true;
      saidAnything = false;
      lastError = undefined;
    },
    'item.started': (frame, line) => readItem(itemStarted, frame, line),
    'item.updated': (frame, line) => readItem(itemUpdated, frame, line),
    'item.completed': (frame, line) => readItem(itemCompleted, frame, line),
    'turn.completed': (frame) => {
      isOpen = false;
      if (!saidAnything) out.emit(emptyTurnWarning());
      const total = readTokens(frame.usage);
      const usage = consumed(total);
      out.emit(usage ? { type: 'usage.updated', usage } : usageUnknown(frame.usage));
      earlier = total;
      out.complete({ outcome: 'done', usage });
    },
    'turn.failed': (frame) => {
      isOpen = false;
      out.complete({
        outcome: 'failed',
        error: codexError(string(object(frame.error).message) ?? lastError),
      });
    },
    error: (frame) => {
      const message = string(frame.message) ?? '';
      if (message.startsWith('Reconnecting')) return retries.report({ message });
      lastError = message;
    },
  };

  return {
    open: () => {
      for (const notice of options.notices ?? []) out.emit(notice);
    },
    line: (line) => {
      const frame = object(parseJson(line));
      const read =
        typeof frame.type === 'string' && Object.hasOwn(readers, frame.type)
          ? readers[frame.type]
          : undefined;
      if (!read) return strayLine(line, out.emit);
      understood = true;
      read(frame, line);
    },
    stderrLine: readDeniedTools(out.emit),
    end: (end) => {
      if (!isOpen) return undefined;
      const error = lastError === undefined ? undefined : codexError(lastError);
      const verdict = judgeCodexEnd(end, {
        understood,
        program: 'exec',
        isInTurn: hasBegun,
        lastError: error,
      });
      const total = threadId === undefined ? undefined : options.noted?.(threadId);
      return { ...verdict, usage: total && consumed(total) };
    },
  };
}

/** An item in today's format: release 0.44 had the type in another field. */
function execItem(item: Json): Json {
  const type = item.type ?? item.item_type;
  return { ...item, type: type === 'assistant_message' ? 'agent_message' : type };
}

/** Names items that have no id; the end of one belongs to the first of its type that has begun. */
class UnnamedItems {
  #count = 0;
  #begun = new Map<unknown, string[]>();

  idOf({ type }: Json, isOver: boolean): string {
    const begun = this.#begun.get(type) ?? [];
    const known = isOver ? begun.shift() : undefined;
    if (known !== undefined) return known;
    this.#count += 1;
    const id = `unnamed_${this.#count}`;
    if (!isOver) this.#begun.set(type, [...begun, id]);
    return id;
  }
}

function usageUnknown(total: unknown): EventDraft {
  const message =
    'Codex reports the tokens of the whole thread, and the usage before this run is unknown.';
  return { type: 'notice', level: 'info', code: 'agent_warning', message, data: { total } };
}

type Emit = (draft: EventDraft) => void;

/** Reports the start of an item; false if it is unknown. */
export function itemStarted(item: Json, id: string, emit: Emit): boolean {
  if (isMessage(item) || item.type === 'error') return true;
  if (item.type === 'todo_list') return itemUpdated(item, id, emit);
  const tool = toolOf(item);
  if (!tool) return false;
  const { name, action, input } = tool;
  emit({ type: 'tool.started', callId: id, name, action, input, nativeId: string(item.id) });
  return true;
}

/** Reports news of an item. */
function itemUpdated(item: Json, id: string, emit: Emit): boolean {
  if (item.type === 'todo_list') {
    emit({ type: 'plan.updated', entries: planEntries(item.items) ?? [] });
    return true;
  }
  const tool = toolOf(item);
  if (tool) emit({ type: 'tool.updated', callId: id, action: tool.action });
  return tool !== undefined || isMessage(item);
}

/** Reports the end of an item. */
export function itemCompleted(item: Json, id: string, emit: Emit): boolean {
  if (item.type === 'error') {
    emit(agentWarning(string(item.message) ?? ''));
    return true;
  }
  if (item.type === 'todo_list') return itemUpdated(item, id, emit);
  if (isMessage(item)) {
    const kind = item.type === 'reasoning' ? 'thinking' : 'text';
    emit({ type: 'message.started', messageId: id, kind, nativeId: string(item.id) });
    emit({ type: 'message.completed', messageId: id, text: string(item.text) ?? '' });
    return true;
  }
  const tool = toolOf(item);
  if (!tool) return false;
  const { name, action, output } = tool;
  emit({ type: 'tool.completed', callId: id, name, action, outcome: outcomeOf(item), output });
  return true;
}

function isMessage(item: Json): boolean {
  return item.type === 'agent_message' || item.type === 'reasoning';
}

/**
 * `codex exec --json` has no item for a tool that its sandbox or its approval policy refuses: only a trace tells of it.
 */
const DENIED_TOOL =
  /\sERROR codex_core::tools::router: error=((patch rejected: |approval policy is Never; ).*)$/;

/** Creates a reader of standard error that reports refused tools; it returns true for a line about one. */
function readDeniedTools(emit: (draft: EventDraft) => void): (line: string) => boolean {
  let denied = 0;
  return (line) => {
    const [, output, kind] = DENIED_TOOL.exec(line) ?? [];
    if (output === undefined) return false;
    denied += 1;
    const callId = `refused_${denied}`;
    const name = kind?.startsWith('patch') ? 'file_change' : 'command_execution';
    const action = { type: 'other', description: output } as const;
    emit({ type: 'tool.started', callId, name, action, synthetic: true });
    emit({ type: 'tool.completed', callId, outcome: 'denied', output, synthetic: true });
    return true;
  };
}
