import { isTaskEvent } from '../session/is-task-event.ts';
import type { LogEvent, TaskEvent } from '../session/session-event.ts';
import { addOutput, cutOutput } from './bounded-output.ts';
import type { Entry, MessageEntry, PermissionEntry, QuestionEntry, ToolEntry } from './entry.ts';
import { entryKeyOf, isBeginning, toolEntryKey } from './entry-key.ts';
import { finishedWords } from './finished-words.ts';

/**
 * Applies an event to the last entry with its key: returns a changed copy, a new entry, or the same entry if the event
 * does not affect it.
 */
export function nextEntry(last: Entry | undefined, event: LogEvent): Entry | undefined {
  const key = entryKeyOf(event);
  if (key === undefined) return last;
  if (!last) return begun(key, event);
  // Each cursor is applied to an entry once; replaying the log changes nothing.
  if (event.cursor <= last.through) return last;
  if (!last.open && isBeginning(event)) return begun(key, event);
  return changed(last, event);
}

/** Folds events into entries, in the order in which the entries began. */
export function foldTranscript(events: Iterable<LogEvent>): Entry[] {
  const entries = new Map<number, Entry>();
  const last = new Map<string, Entry>();
  for (const event of events) {
    const key = entryKeyOf(event);
    if (key === undefined) continue;
    const next = nextEntry(last.get(key), event);
    if (!next) continue;
    last.set(key, next);
    entries.set(next.cursor, next);
  }
  return [...entries.values()];
}

function begun(key: string, event: LogEvent): Entry | undefined {
  const common = {
    key,
    cursor: event.cursor,
    through: event.cursor,
    time: event.time,
    ...('taskId' in event && event.taskId !== undefined ? { taskId: event.taskId } : {}),
    ...parentOf(event),
    open: false,
  };
  switch (event.type) {
    case 'prompt.queued': {
      const { prompt, by, backend, model, attachments } = event;
      return { ...common, kind: 'prompt', text: prompt, by, backend, model, attachments };
    }
    case 'message.started':
      return { ...common, kind: event.kind, text: '', open: true };
    case 'message.delta':
      return { ...common, kind: event.kind, text: event.text, open: true };
    case 'message.completed':
      return { ...common, kind: event.kind, text: event.text, incomplete: event.incomplete };
    case 'tool.started': {
      const { name, action, input } = event;
      return { ...common, kind: 'tool', name, action, input, output: '', open: true };
    }
    case 'tool.completed': {
      const { name, action, outcome, durationMs, output = '', wholeOutput } = event;
      return {
        ...common,
        kind: 'tool',
        name,
        action,
        outcome,
        durationMs,
        wholeOutput,
        ...cutOutput({ output }),
      };
    }
    case 'permission.requested':
      return { ...common, kind: 'permission', request: requestOf(event), open: true };
    case 'question.requested': {
      const { requestId, questions } = event;
      return { ...common, kind: 'question', requestId, questions, open: true };
    }
    case 'plan.updated':
      return { ...common, kind: 'plan', entries: event.entries };
    case 'file.changed': {
      const { path, kind, newPath, diff, callId } = event;
      return { ...common, kind: 'file', change: { path, kind, newPath, diff }, callId };
    }
    case 'notice':
    case 'session.notice': {
      const { level, code, message } = event;
      return { ...common, kind: 'notice', level, code, message };
    }
    case 'work.finished':
      return {
        ...common,
        kind: 'notice',
        level: 'info',
        code: 'finished',
        message: finishedWords(event),
      };
    case 'unparsed':
      // An unrecognized line belongs to no sub-agent: all lines of a task are one entry.
      return { ...common, parentKey: undefined, kind: 'unparsed', count: 1 };
    case 'stop.requested':
      return { ...common, kind: 'stop', by: event.by, reason: event.reason };
    case 'session.changed':
      return { ...common, kind: 'change', by: event.by, changes: event.changes };
    case 'run.completed': {
      const { outcome, error, usage, durationMs, stop } = event;
      return { ...common, kind: 'result', outcome, error, usage, durationMs, stop };
    }
    default:
      return undefined;
  }
}

function changed(before: Entry, event: LogEvent): Entry {
  const through = event.cursor;
  switch (before.kind) {
    case 'prompt':
      if (event.type === 'prompt.edited') return { ...before, through, text: event.prompt };
      if (event.type === 'run.started') return { ...before, through, model: event.model };
      if (event.type === 'run.identified' && event.model !== undefined)
        return { ...before, through, model: event.model };
      return before;
    case 'text':
    case 'thinking':
      return changedMessage(before, event);
    case 'tool':
      return changedTool(before, event);
    case 'permission':
    case 'question':
      return changedRequest(before, event);
    case 'unparsed':
      return event.type === 'unparsed' ? { ...before, through, count: before.count + 1 } : before;
    case 'plan':
      return event.type === 'plan.updated'
        ? { ...before, through, entries: event.entries }
        : before;
    default:
      return before;
  }
}

function changedMessage(before: MessageEntry, event: LogEvent): Entry {
  const through = event.cursor;
  if (event.type === 'message.delta') return { ...before, through, text: before.text + event.text };
  if (event.type !== 'message.completed') return before;
  return { ...before, through, text: event.text, incomplete: event.incomplete, open: false };
}

function changedTool(before: ToolEntry, event: LogEvent): Entry {
  const through = event.cursor;
  if (event.type === 'tool.updated') {
    const { action = before.action, input = before.input } = event;
    return { ...before, through, action, input, ...addOutput(before, event.output ?? '') };
  }
  if (event.type !== 'tool.completed') return before;
  const { action, outcome, durationMs, output, wholeOutput, input = before.input } = event;
  const whole = output === undefined ? before : { output };
  return {
    ...before,
    outputCut: undefined,
    through,
    action,
    input,
    outcome,
    durationMs,
    wholeOutput,
    open: false,
    ...cutOutput(whole),
  };
}

function changedRequest(before: PermissionEntry | QuestionEntry, event: LogEvent): Entry {
  const through = event.cursor;
  if (event.type === 'answer.given') {
    return { ...before, through, answer: event.answer, answeredBy: event.by };
  }
  if (event.type === 'permission.resolved' && before.kind === 'permission') {
    const { decision, scope, by, reason, action, input } = event;
    const edited = action && { action, input };
    return { ...before, through, decision, scope, by, reason, edited, open: false };
  }
  if (event.type === 'question.resolved' && before.kind === 'question') {
    const { answers, by, reason } = event;
    return { ...before, through, answers, by, reason, open: false };
  }
  return before;
}

function requestOf(event: Extract<TaskEvent, { type: 'permission.requested' }>) {
  const { requestId, callId, tool, action, input, reason, scopes, editable } = event;
  return { requestId, callId, tool, action, input, reason, scopes, editable };
}

function parentOf(event: LogEvent): { parentKey?: string } {
  if (!isTaskEvent(event) || event.parentId === undefined) return {};
  return { parentKey: toolEntryKey(event.taskId, event.parentId) };
}
