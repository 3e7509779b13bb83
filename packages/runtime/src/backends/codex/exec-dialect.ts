import type { Dialect, DialectOut, EventDraft } from '../../dialect.ts';
import { type Json, object, parseJson, string } from '../../normalize/json.ts';
import { strayLine } from '../../normalize/stray-line.ts';
import { codexEnd, codexError } from './errors.ts';
import { execDenials } from './exec-denials.ts';
import { itemCompleted, itemStarted, itemUpdated } from './exec-items.ts';
import { Retries } from './retries.ts';
import { silence } from './silence.ts';
import { minus, type Prices, readTokens, type Tokens, usageOf } from './usage.ts';

/** What is known before `codex exec` speaks. */
export type ExecOpening = {
  /** What the thread had consumed before, because Codex counts from its beginning; unknown for a thread that cannot be read. */
  earlier?: Tokens | 'unknown' | undefined;
  prices?: Prices | undefined;
  /** What there is to say before the run. */
  notices?: readonly EventDraft[];
};

/** Whether a line can only come from `codex exec --json`, even one that was cut off. */
export function isExecLine(line: string): boolean {
  const { type } = object(parseJson(line));
  if (typeof type === 'string')
    return /^(?:(?:thread|turn|item)\.[a-z]+|session\.created|error)$/.test(type);
  return /^\{"type":"(?:thread|turn|item)\./.test(line);
}

/** Reads `codex exec --json`, which reports whole items and cannot be talked to. */
export function execDialect(out: DialectOut, opening: ExecOpening = {}): Dialect {
  let isOpen = true;
  let hasBegun = false;
  let understood = false;
  let processes = 0;
  let saidAnything = false;
  let lastError: string | undefined;
  let earlier = opening.earlier;
  let threadId: string | undefined;
  const retries = new Retries(out);

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
      if (!saidAnything) out.emit(silence());
      const total = readTokens(frame.usage);
      const usage =
        earlier === 'unknown'
          ? undefined
          : usageOf(minus(total, earlier ?? readTokens({})), opening.prices);
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
      if (message.startsWith('Reconnecting')) return retries.take({ message });
      lastError = message;
    },
  };

  return {
    open: () => {
      for (const notice of opening.notices ?? []) out.emit(notice);
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
    stderrLine: execDenials(out.emit),
    end: (end) => {
      if (!isOpen) return undefined;
      const error = lastError === undefined ? undefined : codexError(lastError);
      return codexEnd(end, { understood, program: 'exec', isInTurn: hasBegun, lastError: error });
    },
  };
}

/** An item in the words of today: release 0.44 named the type in another place. */
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
    'Codex counts the tokens of the whole thread, and what it had used before this run could not be found.';
  return { type: 'notice', level: 'info', code: 'agent_warning', message, data: { total } };
}
