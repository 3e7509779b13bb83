import type { RequestAnswer } from '@baton/protocol';
import type { DialectOut } from '../../dialect.ts';
import { type Json, object, string } from '../../normalize/json.ts';
import { refusalFrame, requestFrame, responseFrame } from './frames.ts';
import type { Gate, GateDecision } from './gate.ts';
import type { Requests } from './requests.ts';

/** The name under which Claude calls our hook. */
const HOOK = 'baton';
const SETTINGS = 'baton-settings';
const TAKE_BACK = 'baton-take-back-';

/** The control protocol, both ways: what we ask of Claude and what Claude asks of us. */
export class Control {
  /** Called when Claude has dropped a message that it had not taken up. */
  onTakenBack: (uuid: string) => void = () => {};
  #out: DialectOut;
  #requests: Requests;
  #gate: Gate | undefined;
  #interrupts = 0;

  constructor(out: DialectOut, requests: Requests, gate: Gate | undefined) {
    this.#out = out;
    this.#requests = requests;
    this.#gate = gate;
  }

  open(): void {
    const hooks = this.#gate ? { PreToolUse: [{ hookCallbackIds: [HOOK] }] } : undefined;
    this.#ask('baton-init', { subtype: 'initialize', hooks, forwardSubagentText: true });
    if (this.#gate) this.#ask(SETTINGS, { subtype: 'get_settings' });
  }

  /** Takes back what Claude has not taken up: it would begin another turn after one that is stopped. */
  takeBack(unread: readonly string[]): void {
    for (const uuid of unread) {
      this.#ask(TAKE_BACK + uuid, { subtype: 'cancel_async_message', message_uuid: uuid });
    }
  }

  interrupt(): void {
    this.#interrupts += 1;
    this.#ask(`baton-interrupt-${this.#interrupts}`, { subtype: 'interrupt' });
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
      const decision = isOurs ? this.#gate?.decide(object(request.input)) : undefined;
      return this.#out.write(responseFrame(requestId, hookOutput(decision)));
    }
    const what = string(request.subtype) ?? 'something';
    const message = `Claude Code asked for "${what}", which Baton cannot do.`;
    this.#out.write(refusalFrame(requestId, message));
    this.#warn(message, request);
  }

  /** Reads the answer to a request of ours. */
  response(response: Json): void {
    const requestId = string(response.request_id) ?? '';
    if (response.subtype === 'error') {
      return this.#warn(`Claude Code refused a request: ${string(response.error) ?? 'no reason'}`);
    }
    const value = object(response.response);
    if (requestId === SETTINGS) return this.#gate?.learn(value);
    if (!requestId.startsWith(TAKE_BACK) || value.cancelled !== true) return;
    this.onTakenBack(requestId.slice(TAKE_BACK.length));
  }

  #ask(requestId: string, request: Json): void {
    this.#out.write(requestFrame(requestId, request));
  }

  #warn(message: string, data?: unknown): void {
    this.#out.emit({ type: 'notice', level: 'warning', code: 'agent_warning', message, data });
  }
}

function hookOutput(decision: GateDecision): Json {
  if (!decision) return {};
  return { hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: decision } };
}
