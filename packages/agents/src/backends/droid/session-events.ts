import { array, type Json, number, object, string } from '@baton/config/values/json';
import type { EventDraft } from '@baton/engine/definition/dialect';
import { MessageAssembly } from '@baton/engine/kit/message-assembly';
import { actionOf } from '@baton/engine/normalize/actions';
import type { Action, FileChange } from '@baton/protocol/values';
import { exitCodeIn, toolOutcome } from './stream-json.ts';

/** Notifications that a run does not report. */
const IGNORED: ReadonlySet<unknown> = new Set([
  'droid_working_state_changed',
  'permission_resolved',
  'session_token_usage_changed',
  'session_title_updated',
  'settings_updated',
  'mcp_status_changed',
  'tool_execution_heartbeat',
  'hook_execution_started',
  'hook_execution_completed',
  'child_session_available',
  'session_working_directory_changed',
  'agent_turn_outcome',
]);

type Call = {
  name: string;
  input: unknown;
  action: Action;
  isStarted: boolean;
  /** Droid asked for permission and has no answer yet. */
  awaitsAnswer: boolean;
  output: string;
};

/** Turns Droid's notifications about its session into events. */
export class SessionEvents {
  #emit: (draft: EventDraft) => void;
  #messages: MessageAssembly;
  #spoken = new Set<string>();
  /** Counts the retries of requests to the model: a message that broke off begins again under the same id. */
  #retries = 0;
  #calls = new Map<string, Call>();

  constructor(emit: (draft: EventDraft) => void) {
    this.#emit = emit;
    this.#messages = new MessageAssembly(emit);
  }

  /** Reads a notification; returns false if its kind is unknown. */
  read(news: Json): boolean {
    const { type } = news;
    if (type === 'assistant_text_delta') this.#said('text', news);
    else if (type === 'thinking_text_delta') this.#said('thinking', news);
    else if (type === 'assistant_text_complete')
      this.#messages.complete(this.#messageOf('text', news));
    else if (type === 'thinking_text_complete') {
      this.#messages.complete(this.#messageOf('thinking', news));
    } else if (type === 'create_message') this.#whole(object(news.message));
    else if (type === 'assistant_message_retracted') this.#messages.breakOffAll();
    else if (type === 'tool_call') this.#called(object(news.toolUse));
    else if (type === 'tool_execution_phase_changed') {
      const callId = string(news.toolUseId) ?? '';
      this.start(callId);
      if (news.phase === 'executing') this.allowed(callId);
    } else if (type === 'tool_progress_update') this.#progressed(news);
    else if (type === 'tool_result') this.#returned(news);
    else if (type === 'llm_retry') this.#retried(news);
    else if (type === 'session_compacted') {
      const message = 'Droid shortened its conversation.';
      this.#emit({ type: 'notice', level: 'info', code: 'compaction', message });
    } else return IGNORED.has(type);
    return true;
  }

  /** Reports a call once its input is whole. */
  start(callId: string): void {
    const call = this.#calls.get(callId);
    if (!call || call.isStarted) return;
    call.isStarted = true;
    const { name, input, action } = call;
    this.#emit({ type: 'tool.started', callId, name, action, input });
    if (action.type !== 'plan' || !action.entries) return;
    this.#emit({ type: 'plan.updated', entries: action.entries });
  }

  /** Returns the subject of a permission request: the call, and its files where only the request names them. */
  asked({ toolUse, details }: Json): {
    callId: string;
    name: string;
    action: Action;
    input: unknown;
  } {
    const { id, input } = object(toolUse);
    const callId = string(id) ?? '';
    this.#called(object(toolUse));
    const call = this.#calls.get(callId);
    const changes = changesIn(object(details));
    if (call && changes.length > 0) call.action = { type: 'file.edit', changes };
    if (call) call.awaitsAnswer = true;
    this.start(callId);
    return { callId, name: call?.name ?? 'tool', action: call?.action ?? { type: 'other' }, input };
  }

  /** The call was allowed: a later cancellation is not a denial. */
  allowed(callId: string): void {
    const call = this.#calls.get(callId);
    if (call) call.awaitsAnswer = false;
  }

  /** The turn is over. */
  end(): void {
    this.#messages.breakOffAll();
    this.#calls.clear();
  }

  #said(kind: 'text' | 'thinking', news: Json): void {
    const message = this.#messageOf(kind, news);
    this.#spoken.add(message.messageId);
    this.#messages.append(message, string(news.textDelta) ?? '');
  }

  /** Every message comes again as a whole; only what was not said before is new. */
  #whole({ id, role, content }: Json): void {
    if (role !== 'assistant') return;
    for (const [blockIndex, block] of array(content).map(object).entries()) {
      const message = this.#messageOf('text', { messageId: id, blockIndex });
      if (block.type !== 'text' || this.#spoken.has(message.messageId)) continue;
      this.#spoken.add(message.messageId);
      this.#messages.complete(message, string(block.text) ?? '');
    }
  }

  /** Droid reports a call several times while its input grows. */
  #called({ id, name: told, input }: Json): void {
    const callId = string(id) ?? '';
    const known = this.#calls.get(callId);
    if (known?.isStarted) return;
    const name = string(told) ?? 'tool';
    const action = actionOf(name, input);
    this.#calls.set(callId, {
      name,
      input,
      action,
      isStarted: false,
      awaitsAnswer: false,
      output: '',
    });
  }

  #progressed({ toolUseId, update }: Json): void {
    const callId = string(toolUseId) ?? '';
    const call = this.#calls.get(callId);
    const output = string(object(update).fullOutput);
    if (!call?.isStarted || output === undefined || !output.startsWith(call.output)) return;
    const more = output.slice(call.output.length);
    call.output = output;
    if (more !== '') this.#emit({ type: 'tool.updated', callId, output: more });
  }

  #returned({ toolUseId, content, isError }: Json): void {
    const callId = string(toolUseId) ?? '';
    const call = this.#calls.get(callId);
    if (!call) return;
    this.start(callId);
    this.#calls.delete(callId);
    const output = string(content) ?? textOf(content);
    const exitCode = call.action.type === 'command' ? exitCodeIn(output) : undefined;
    const action = exitCode === undefined ? call.action : { ...call.action, exitCode };
    const outcome = toolOutcome(isError, output, call.awaitsAnswer);
    this.#emit({ type: 'tool.completed', callId, action, outcome, output });
  }

  #messageOf(kind: 'text' | 'thinking', { messageId, blockIndex }: Json) {
    const id = `${string(messageId) ?? 'message'}-${number(blockIndex) ?? 0}`;
    return { messageId: this.#retries === 0 ? id : `${id}-retry-${this.#retries}`, kind };
  }

  #retried({ attempt, reason }: Json): void {
    this.#messages.breakOffAll();
    this.#retries += 1;
    const why = string(reason) ?? 'unknown';
    const message = `Droid asks its provider again (attempt ${number(attempt) ?? '?'}): ${why}`;
    this.#emit({ type: 'notice', level: 'warning', code: 'retry', message });
  }
}

function textOf(content: unknown): string {
  return array(content)
    .flatMap((block) => string(object(block).text) ?? [])
    .join('\n');
}

/** The files that a patch changes. */
function changesIn({ type, files }: Json): FileChange[] {
  if (type !== 'apply_patch') return [];
  return array(files)
    .map(object)
    .flatMap(({ filePath, operation, moveTo, newContent }) => {
      if (typeof filePath !== 'string') return [];
      const kind = operation === 'create' ? 'add' : operation === 'delete' ? 'delete' : 'edit';
      const diff = kind === 'add' ? string(newContent) : undefined;
      return [{ path: filePath, kind, newPath: string(moveTo), diff }];
    });
}
