import { type Json, object, string } from '@baton/config/values/json';
import type { DialectOut } from '@baton/engine/definition/dialect';
import type { ImageData } from '@baton/engine/kit/image-file';
import { agentWarning } from '@baton/engine/kit/notices';
import type { RequestAnswer } from '@baton/protocol/values';
import type { BackgroundTask } from '../../dialects/claude-stream-json/background-tasks.ts';
import type { HookDecision, PermissionHook } from './permission-hook.ts';
import type { PermissionRequests } from './permission-requests.ts';

/** The name under which Claude calls our hook. */
const HOOK = 'baton';
const SETTINGS = 'baton-settings';
const WITHDRAW = 'baton-withdraw-';
const INTERRUPT = 'baton-interrupt-';

/** The control protocol, both ways: what we ask of Claude and what Claude asks of us. */
export class ControlProtocol {
  /** Called when Claude has dropped a message that it had not taken up. */
  onWithdrawn: (uuid: string) => void = () => {};
  /** Called when Claude has heard an interrupt. */
  onInterrupted: () => void = () => {};
  #out: DialectOut;
  #requests: PermissionRequests;
  #hook: PermissionHook | undefined;
  #interrupts = 0;
  #stopped = new Set<string>();

  constructor(out: DialectOut, requests: PermissionRequests, hook: PermissionHook | undefined) {
    this.#out = out;
    this.#requests = requests;
    this.#hook = hook;
  }

  open(): void {
    const hooks = this.#hook ? { PreToolUse: [{ hookCallbackIds: [HOOK] }] } : undefined;
    this.#ask('baton-init', { subtype: 'initialize', hooks, forwardSubagentText: true });
    if (this.#hook) this.#ask(SETTINGS, { subtype: 'get_settings' });
  }

  /** Withdraws what Claude has not taken up: it would begin another turn after one that is stopped. */
  withdraw(unread: readonly string[]): void {
    for (const uuid of unread) {
      this.#ask(WITHDRAW + uuid, { subtype: 'cancel_async_message', message_uuid: uuid });
    }
  }

  interrupt(): void {
    this.#interrupts += 1;
    this.#ask(`${INTERRUPT}${this.#interrupts}`, { subtype: 'interrupt' });
  }

  /** Ends background tasks; returns those that it was not already ending. */
  stopTasks(tasks: readonly BackgroundTask[]): BackgroundTask[] {
    const running = tasks.filter(({ id }) => !this.#stopped.has(id));
    for (const { id } of running) {
      this.#stopped.add(id);
      this.#ask(`baton-stop-${id}`, { subtype: 'stop_task', task_id: id });
    }
    return running;
  }

  answer(requestId: string, answer: RequestAnswer): void {
    const response = this.#requests.answer(requestId, answer);
    if (response) this.#out.write(responseFrame(requestId, response));
  }

  /** Reads a request of Claude; every one gets an answer, so that Claude never waits in vain. */
  request(requestId: string, request: Json): void {
    if (request.subtype === 'can_use_tool') return this.#requests.ask(requestId, request);
    if (request.subtype === 'hook_callback') {
      const isOurs = request.callback_id === HOOK;
      const decision = isOurs ? this.#hook?.decide(object(request.input)) : undefined;
      return this.#out.write(responseFrame(requestId, hookOutput(decision)));
    }
    const what = string(request.subtype) ?? 'something';
    const message = `Claude Code requested "${what}", which Baton does not support.`;
    this.#out.write(refusalFrame(requestId, message));
    this.#warn(message, request);
  }

  /** Reads the answer to a request of ours. */
  response(response: Json): void {
    const requestId = string(response.request_id) ?? '';
    if (response.subtype === 'error') {
      return this.#warn(`Claude Code rejected a request: ${string(response.error) ?? 'no reason'}`);
    }
    const value = object(response.response);
    if (requestId === SETTINGS) return this.#hook?.learn(value);
    if (requestId.startsWith(INTERRUPT)) return this.onInterrupted();
    if (!requestId.startsWith(WITHDRAW) || value.cancelled !== true) return;
    this.onWithdrawn(requestId.slice(WITHDRAW.length));
  }

  #ask(requestId: string, request: Json): void {
    this.#out.write(requestFrame(requestId, request));
  }

  #warn(message: string, data?: unknown): void {
    this.#out.emit(agentWarning(message, { data }));
  }
}

function hookOutput(decision: HookDecision): Json {
  if (!decision) return {};
  return { hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: decision } };
}

/** A message of the person; the id comes back when Claude takes the message up. */
export function userFrame(uuid: string, text: string, images: readonly ImageData[] = []): string {
  const content = images.length === 0 ? text : [...images.map(imageBlock), { type: 'text', text }];
  return JSON.stringify({
    type: 'user',
    message: { role: 'user', content },
    parent_tool_use_id: null,
    session_id: '',
    uuid,
  });
}

/** A request of ours. */
export function requestFrame(requestId: string, request: Json): string {
  return JSON.stringify({ type: 'control_request', request_id: requestId, request });
}

/** Our answer to a request of Claude. */
function responseFrame(requestId: string, response: Json): string {
  return JSON.stringify({
    type: 'control_response',
    response: { subtype: 'success', request_id: requestId, response },
  });
}

/** Our refusal of a request that we cannot carry out, so that Claude does not wait for it. */
function refusalFrame(requestId: string, error: string): string {
  return JSON.stringify({
    type: 'control_response',
    response: { subtype: 'error', request_id: requestId, error },
  });
}

function imageBlock({ data, mimeType }: ImageData): Json {
  return { type: 'image', source: { type: 'base64', media_type: mimeType, data } };
}
