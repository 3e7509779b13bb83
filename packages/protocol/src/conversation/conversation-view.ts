import type { Action } from '../action.ts';
import type { AgentEvent, EventOf, ToolOutcome } from '../event.ts';
import type { LogEvent } from '../session/session-event.ts';
import { finishedWords } from '../transcript/finished-words.ts';
import type {
  ConversationPatch,
  NormalizedConversation,
  NormalizedEntry,
  PatchOperation,
  TextEntry,
  ToolAction,
  ToolStatus,
  ToolUseEntry,
} from './normalized-entry.ts';

type ViewEvent = AgentEvent | LogEvent;

/** State of an entry that later events may still change. */
type OpenEntry = {
  index: number;
  /** The text of a message, or the output of a tool, as the document has it. */
  text: string;
  /** The action of a tool in the document, as JSON. */
  action?: string;
  status?: ToolStatus;
};

const STATUS: Readonly<Record<ToolOutcome, ToolStatus>> = {
  ok: 'Succeeded',
  error: 'Failed',
  denied: 'Denied',
  cancelled: 'Cancelled',
};

/**
 * Turns events, of one run or of a whole session, into patches of a conversation that starts as `{"entries":[]}`. Text
 * is an array of pieces that grows by `add` at `/-`, because RFC 6902 cannot append to a string: the size of a patch
 * depends only on the new text. The view keeps only entries that may still change, not the conversation.
 */
export class ConversationView {
  #count = 0;
  /** Open entries by task (or run), then by kind and id. */
  #open = new Map<string, Map<string, OpenEntry>>();
  /** Last system message about the model, by run. */
  #models = new Map<string, string>();

  /** Returns the patch for the next events. An entry that they begin is added once, with all of their changes. */
  patch(events: Iterable<ViewEvent>): ConversationPatch {
    const draft = new PatchDraft();
    for (const event of events) this.#take(event, draft);
    return draft.operations;
  }

  #take(event: ViewEvent, draft: PatchDraft): void {
    switch (event.type) {
      case 'prompt.queued':
        return this.#addText(event, 'UserMessage', event.prompt, draft);
      case 'task.steered':
        return this.#addText(event, 'UserMessage', event.text, draft);
      case 'run.identified':
        return this.#identified(event, draft);
      case 'message.started':
      case 'message.delta':
      case 'message.completed':
        return this.#message(event, draft);
      case 'tool.started':
      case 'tool.updated':
      case 'tool.completed':
        return this.#tool(event, draft);
      case 'permission.requested':
      case 'permission.resolved':
        return this.#permission(event, draft);
      case 'question.requested':
        for (const { question } of event.questions)
          this.#addText(event, 'SystemMessage', question, draft);
        return;
      case 'plan.updated':
        return this.#plan(event, draft);
      case 'file.changed':
        return this.#fileChanged(event, draft);
      case 'notice':
      case 'session.notice': {
        const type = isError(event) ? 'ErrorMessage' : 'SystemMessage';
        return this.#addText(event, type, event.message, draft);
      }
      case 'work.finished':
        return this.#addText(event, 'SystemMessage', finishedWords(event), draft);
      case 'unparsed':
        return this.#addText(event, 'SystemMessage', `Unrecognized output: ${event.line}`, draft);
      case 'stop.requested':
        return this.#addText(event, 'SystemMessage', 'A stop was requested.', draft);
      case 'run.completed':
        return this.#completed(event, draft);
      default:
    }
  }

  #identified(event: EventOf<'run.identified'>, draft: PatchDraft): void {
    const words = `System initialized with model: ${event.model ?? 'unknown'}`;
    if (this.#models.get(scopeOf(event)) === words) return;
    this.#models.set(scopeOf(event), words);
    this.#addText(event, 'SystemMessage', words, draft);
  }

  #message(
    event: EventOf<'message.started'> | EventOf<'message.delta'> | EventOf<'message.completed'>,
    draft: PatchDraft,
  ): void {
    const key = `message ${event.messageId}`;
    const open = this.#find(event, key) ?? this.#beginMessage(event, draft);
    const path = `/entries/${open.index}/content`;
    if (event.type === 'message.delta') append(open, path, event.text, draft);
    if (event.type !== 'message.completed') return;
    setText(open, path, event.text, draft);
    this.#forget(event, key);
  }

  #beginMessage(
    event: EventOf<'message.started'> | EventOf<'message.delta'> | EventOf<'message.completed'>,
    draft: PatchDraft,
  ): OpenEntry {
    const type = event.kind === 'thinking' ? 'Thinking' : 'AssistantMessage';
    const index = this.#add({ ...common(event), type, content: [] }, draft);
    return this.#remember(event, `message ${event.messageId}`, { index, text: '' });
  }

  #tool(
    event: EventOf<'tool.started'> | EventOf<'tool.updated'> | EventOf<'tool.completed'>,
    draft: PatchDraft,
  ): void {
    const open = this.#find(event, `tool ${event.callId}`) ?? this.#beginTool(event, draft);
    if (!open) return;
    const path = `/entries/${open.index}/result/output`;
    if (event.action) this.#setAction(open, event.action, draft);
    if (event.type === 'tool.updated') append(open, path, event.output ?? '', draft);
    if (event.type !== 'tool.completed') return;
    if (event.output !== undefined) setText(open, path, event.output, draft);
    setStatus(open, STATUS[event.outcome], draft);
    this.#forget(event, `tool ${event.callId}`);
  }

  #beginTool(
    event: EventOf<'tool.started'> | EventOf<'tool.updated'> | EventOf<'tool.completed'>,
    draft: PatchDraft,
  ): OpenEntry | undefined {
    if (event.type === 'tool.updated') return undefined;
    const { callId, name: toolName } = event;
    const action = actionOf(event.action);
    const isCommand = action.type === 'CommandRun';
    const entry: ToolUseEntry = {
      ...common(event),
      type: 'ToolUse',
      callId,
      toolName,
      action,
      status: 'Running',
      result: { type: isCommand ? 'CommandRunResult' : 'ToolResult', output: [] },
    };
    const index = this.#add(entry, draft);
    const open = { index, text: '', action: JSON.stringify(action), status: entry.status };
    return this.#remember(event, `tool ${callId}`, open);
  }

  #setAction(open: OpenEntry, given: Action, draft: PatchDraft): void {
    const path = `/entries/${open.index}`;
    const action = actionOf(given);
    const text = JSON.stringify(action);
    if (text !== open.action) {
      const isCommand = action.type === 'CommandRun';
      draft.set('replace', `${path}/action`, action);
      draft.set('replace', `${path}/result/type`, isCommand ? 'CommandRunResult' : 'ToolResult');
      open.action = text;
    }
    if (given.type === 'command' && given.exitCode !== undefined) {
      draft.set('add', `${path}/result/exitCode`, given.exitCode);
    }
  }

  #permission(
    event: EventOf<'permission.requested'> | EventOf<'permission.resolved'>,
    draft: PatchDraft,
  ): void {
    if (event.type === 'permission.requested') {
      const open =
        event.callId === undefined ? undefined : this.#find(event, `tool ${event.callId}`);
      if (!open) return;
      setStatus(open, 'AwaitingApproval', draft);
      this.#remember(event, `request ${event.requestId}`, open);
      return;
    }
    const open = this.#find(event, `request ${event.requestId}`);
    // A tool that is denied does not run; its end says so.
    const runs = event.decision === 'allow' && open?.status === 'AwaitingApproval';
    if (runs) setStatus(open, 'Running', draft);
    this.#forget(event, `request ${event.requestId}`);
  }

  #plan(event: EventOf<'plan.updated'>, draft: PatchDraft): void {
    const open = this.#find(event, 'plan');
    if (open) return draft.set('replace', `/entries/${open.index}/entries`, event.entries);
    const index = this.#add({ ...common(event), type: 'Plan', entries: event.entries }, draft);
    this.#remember(event, 'plan', { index, text: '' });
  }

  #fileChanged(event: EventOf<'file.changed'>, draft: PatchDraft): void {
    const { path, kind, newPath, diff } = event;
    const change = { path, kind, ...(newPath && { newPath }), ...(diff && { diff }) };
    this.#add(
      {
        ...common(event),
        type: 'ToolUse',
        callId: event.callId ?? '',
        toolName: 'file.changed',
        action: { type: 'FileEdit', changes: [change] },
        status: 'Succeeded',
        result: { type: 'ToolResult', output: [] },
      },
      draft,
    );
  }

  #completed(event: EventOf<'run.completed'>, draft: PatchDraft): void {
    const { outcome, error } = event;
    if (error && outcome !== 'cancelled') {
      const words = error.hint ? `${error.message} ${error.hint}` : error.message;
      this.#addText(event, 'ErrorMessage', words, draft);
    }
    if (outcome === 'cancelled') this.#addText(event, 'SystemMessage', 'Stopped.', draft);
    this.#open.delete(scopeOf(event));
    this.#models.delete(scopeOf(event));
  }

  #addText(event: ViewEvent, type: TextEntry['type'], text: string, draft: PatchDraft): void {
    this.#add({ ...common(event), type, content: pieces(text) }, draft);
  }

  #add(entry: NormalizedEntry, draft: PatchDraft): number {
    const index = this.#count;
    this.#count += 1;
    draft.addEntry(index, entry);
    return index;
  }

  #find(event: ViewEvent, id: string): OpenEntry | undefined {
    return this.#open.get(scopeOf(event))?.get(id);
  }

  #remember(event: ViewEvent, id: string, entry: OpenEntry): OpenEntry {
    const scope = this.#open.get(scopeOf(event)) ?? new Map<string, OpenEntry>();
    this.#open.set(scopeOf(event), scope.set(id, entry));
    return entry;
  }

  #forget(event: ViewEvent, id: string): void {
    this.#open.get(scopeOf(event))?.delete(id);
  }
}

/** Folds events into a whole conversation. */
export function foldConversation(events: Iterable<ViewEvent>): NormalizedConversation {
  const operations = new ConversationView().patch(events);
  return { entries: operations.map(({ value }) => value as NormalizedEntry) };
}

/** The operations of one patch. A change to an entry that the same patch adds is merged into that entry. */
class PatchDraft {
  readonly operations: PatchOperation[] = [];
  #added = new Map<number, NormalizedEntry>();
  /** Last `add` operation per text, to which more text is appended. */
  #growth = new Map<string, PatchOperation & { value: string }>();

  addEntry(index: number, entry: NormalizedEntry): void {
    this.#added.set(index, entry);
    this.operations.push({ op: 'add', path: '/entries/-', value: entry });
  }

  append(path: string, text: string): void {
    if (text === '') return;
    const place = this.#placeOf(path);
    if (place) {
      const list = place.object[place.key] as string[];
      list[0] = (list[0] ?? '') + text;
      return;
    }
    const last = this.#growth.get(path);
    if (last) {
      last.value += text;
      return;
    }
    const operation = { op: 'add' as const, path: `${path}/-`, value: text };
    this.#growth.set(path, operation);
    this.operations.push(operation);
  }

  set(op: PatchOperation['op'], path: string, value: unknown): void {
    const place = this.#placeOf(path);
    if (place) {
      place.object[place.key] = value;
      return;
    }
    this.operations.push({ op, path, value });
  }

  /** Resolves a path in an entry that this patch adds. */
  #placeOf(path: string): { object: Record<string, unknown>; key: string } | undefined {
    const [, , index = '', ...way] = path.split('/');
    const key = way.pop() ?? '';
    let object = this.#added.get(Number(index)) as Record<string, unknown> | undefined;
    for (const part of way) object = object?.[part] as Record<string, unknown> | undefined;
    return object && { object, key };
  }
}

/** Text between an agent's JSON lines usually reports a failure, except for warnings and notices of npm. */
function isError({
  level,
  code,
  message,
}: {
  level: string;
  code: string;
  message: string;
}): boolean {
  return level === 'error' || (code === 'text' && !/^npm (warn|notice)\b/i.test(message));
}

function append(open: OpenEntry, path: string, text: string, draft: PatchDraft): void {
  open.text += text;
  draft.append(path, text);
}

/** Sets the final text of an entry, which usually has already arrived in pieces. */
function setText(open: OpenEntry, path: string, text: string, draft: PatchDraft): void {
  if (text === open.text) return;
  open.text = text;
  draft.set('replace', path, pieces(text));
}

function setStatus(open: OpenEntry, status: ToolStatus, draft: PatchDraft): void {
  if (open.status === status) return;
  open.status = status;
  draft.set('replace', `/entries/${open.index}/status`, status);
}

function scopeOf(event: ViewEvent): string {
  if ('taskId' in event && event.taskId !== undefined) return event.taskId;
  return 'runId' in event ? event.runId : '';
}

function common(event: ViewEvent): { timestamp: number; parentCallId?: string } {
  const parent = 'parentId' in event ? event.parentId : undefined;
  return { timestamp: event.time, ...(parent === undefined ? {} : { parentCallId: parent }) };
}

function pieces(text: string): string[] {
  return text === '' ? [] : [text];
}

function actionOf(action: Action): ToolAction {
  switch (action.type) {
    case 'file.read':
      return { type: 'FileRead', path: action.path };
    case 'file.edit':
      return { type: 'FileEdit', changes: action.changes };
    case 'command':
      return { type: 'CommandRun', command: action.command, ...given('cwd', action.cwd) };
    case 'search':
      return { type: 'Search', query: action.query, ...given('path', action.path) };
    case 'fetch':
      return { type: 'WebFetch', ...given('url', action.url), ...given('query', action.query) };
    case 'plan':
      return { type: 'Plan', ...given('text', action.text), ...given('entries', action.entries) };
    case 'subagent':
      return {
        type: 'TaskCreate',
        ...given('prompt', action.prompt),
        ...given('agent', action.agent),
        ...given('description', action.description),
      };
    case 'mcp':
      return {
        type: 'McpTool',
        server: action.server,
        tool: action.tool,
        ...given('arguments', action.arguments),
      };
    case 'other':
      return { type: 'Other', ...given('description', action.description) };
    default:
      // An action of a later version.
      return { type: 'Other', description: (action as { type: string }).type };
  }
}

function given<Key extends string, Value>(
  key: Key,
  value: Value | undefined,
): { [K in Key]?: Value } {
  return value === undefined ? {} : ({ [key]: value } as { [K in Key]?: Value });
}
