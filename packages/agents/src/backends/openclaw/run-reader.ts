import {
  array,
  count,
  integer,
  isObject,
  type Json,
  object,
  string,
} from '@baton/config/values/json';
import type { EventDraft, Verdict } from '@baton/engine/definition/dialect';
import { type AssembledMessage, MessageAssembly } from '@baton/engine/kit/message-assembly';
import { PendingRequests } from '@baton/engine/kit/pending-requests';
import { providerErrorCode } from '@baton/engine/kit/provider-errors';
import { actionOf } from '@baton/engine/normalize/actions';
import { type Action, type ErrorInfo, errorInfo } from '@baton/protocol/values';
import { LABEL } from './handshake.ts';
import { type RunPayloads, readPayloads, usageOf } from './payloads.ts';

/** A text that a run is writing: the gateway sends all of it again with each event. */
type OpenText = { message: AssembledMessage; text: string };

/** Turns the events and the response of one run into events and a verdict. */
export class RunReader {
  #runId: string;
  /**
   * True for a recording, which may continue after a person has answered; Baton aborts a live run that needs approval.
   */
  #isRecording: boolean;
  /** Reasons for which a person has to approve something, by call. */
  #approvals = new Map<string, string>();
  #requests: PendingRequests<void>;
  #emit: (draft: EventDraft) => void;
  #messages: MessageAssembly;
  #open: OpenText | undefined;
  #lastText = '';
  #count = 0;
  /** The tools by the ids of their calls. */
  #tools = new Map<string, { name: string; action: Action; printed: string }>();
  /** Calls that are known from their items only, with the titles of these. */
  #items = new Map<string, { name: string; title: string | undefined }>();
  #outputTokens: number | undefined;

  constructor(runId: string, emit: (draft: EventDraft) => void, isRecording: boolean) {
    this.#runId = runId;
    this.#isRecording = isRecording;
    this.#requests = new PendingRequests(emit);
    this.#emit = emit;
    this.#messages = new MessageAssembly(emit);
  }

  /** Reads an `agent` event of the run. */
  read(stream: string, data: Json): void {
    if (stream === 'assistant') return this.#readText(data);
    if (stream === 'tool') return this.#readTool(data);
    if (stream === 'item') return this.#readItem(data);
    if (stream === 'lifecycle') return this.#readLifecycle(data);
    if (stream === 'run_status') return this.#readStatus(data);
    if (stream === 'usage') this.#outputTokens = count(data.outputTokens) ?? this.#outputTokens;
  }

  /** Reason for a required approval; the run cannot succeed without it. */
  get approval(): string | undefined {
    return this.#approvals.values().next().value;
  }

  /** A person is asked about a call of the run. */
  needsApproval(reason: string, callId = ''): void {
    if (!this.#approvals.has(callId)) this.#approvals.set(callId, reason);
  }

  /** The verdict of the response that ends the run. */
  finish(payload: Json, failure: Json): Verdict {
    const payloads = readPayloads(payload.result);
    this.#completeText(payloads.text);
    this.#reportMedia(payloads);
    const usage = usageOf(payload.result) ?? this.#partialUsage();
    if (usage) this.#emit({ type: 'usage.updated', usage });
    const output = payloads.text;
    const error = this.#errorOf(payload, failure, payloads);
    if (!error) return { outcome: 'done', output, usage };
    // The response to an aborted run has no text, but the events had.
    return { outcome: outcomeOf(error, payload), output: output || this.#lastText, usage, error };
  }

  /** The verdict of `agent.wait`, where the response itself is gone; nothing for a run that is not known to have ended. */
  settle(payload: Json): Verdict | undefined {
    const { status, stopReason } = payload;
    if (status !== 'ok' && status !== 'error') return undefined;
    const output = string(object(payload.terminalReply).text) ?? '';
    this.#completeText(output);
    const usage = this.#partialUsage();
    if (this.approval !== undefined) {
      return { outcome: 'failed', output, usage, error: approvalError(this.approval) };
    }
    if (status === 'ok') return { outcome: 'done', output, usage };
    if (stopReason === 'rpc') return { outcome: 'cancelled', usage, error: aborted() };
    return { outcome: 'failed', usage, error: failureError(string(payload.error)) };
  }

  /** The verdict of the `chat` event that ends a run without a response; undefined for a run that continues. */
  settleChat({ state, message, errorMessage }: Json): Verdict | undefined {
    const terminalReply = { text: contentText(message) };
    if (state === 'final') return this.settle({ status: 'ok', terminalReply });
    if (state === 'aborted') return this.settle({ status: 'error', stopReason: 'rpc' });
    return state === 'error' ? this.settle({ status: 'error', error: errorMessage }) : undefined;
  }

  #errorOf(payload: Json, failure: Json, payloads: RunPayloads): ErrorInfo | undefined {
    if (this.approval !== undefined) return approvalError(this.approval);
    const { status } = payload;
    if (status === 'timeout') return this.#timeoutError(payload, payloads);
    if (status === 'ok' && !payloads.hasError) return undefined;
    const told = payloads.errors.join('\n\n');
    const words = string(failure.message) ?? (told || string(payload.summary));
    return isApprovalText(words) ? approvalError(words) : failureError(words);
  }

  /** The gateway reports an abort and its own timeout alike. */
  #timeoutError({ timeoutPhase, stopReason }: Json, { errors }: RunPayloads): ErrorInfo {
    if (timeoutPhase === undefined && stopReason !== 'timeout') return aborted();
    return errorInfo('timed_out', errors[0] ?? `The run timed out in the ${LABEL} gateway.`, {
      hint: 'Increase agents.defaults.timeoutSeconds in the configuration of the gateway.',
    });
  }

  #partialUsage(): Verdict['usage'] {
    return this.#outputTokens === undefined ? undefined : { outputTokens: this.#outputTokens };
  }

  #readText({ text, replace, itemId }: Json): void {
    const whole = string(text);
    if (whole === undefined) return;
    const id = `${this.#runId}:${string(itemId) ?? 'text'}`;
    const isSame = this.#open?.message.messageId.startsWith(`${id}#`) === true;
    const isContinued = isSame && whole.startsWith(this.#open?.text ?? '') && replace !== true;
    if (!isContinued) this.#endText(isSame);
    if (whole === '') return;
    this.#lastText = whole;
    if (!this.#open) {
      this.#count += 1;
      const message: AssembledMessage = { messageId: `${id}#${this.#count}`, kind: 'text' };
      this.#open = { message, text: '' };
    }
    this.#messages.append(this.#open.message, whole.slice(this.#open.text.length));
    this.#open.text = whole;
  }

  /** Ends the text that is being written; one that is replaced was never said. */
  #endText(isReplaced = false): void {
    if (!this.#open) return;
    if (isReplaced) this.#messages.breakOffAll();
    else this.#messages.complete(this.#open.message);
    this.#open = undefined;
  }

  /** Adds what of the final answer was not streamed, for example because the connection was lost meanwhile. */
  #completeText(answer: string): void {
    const open = this.#open;
    if (open && answer.startsWith(open.text)) {
      this.#messages.complete(open.message, answer);
      this.#open = undefined;
      return;
    }
    const wasSilent = !open && this.#count === 0;
    this.#endText();
    if (!wasSilent || answer === '') return;
    this.#count += 1;
    this.#messages.complete({ messageId: `${this.#runId}:answer`, kind: 'text' }, answer);
  }

  #readTool({ phase, name, toolCallId, args, partialResult, result, isError }: Json): void {
    const callId = string(toolCallId);
    if (callId === undefined) return;
    this.#items.delete(callId);
    if (phase === 'start') return this.#startTool(callId, string(name) ?? 'tool', args);
    if (phase === 'update') return this.#growOutput(callId, contentText(partialResult));
    if (phase !== 'result') return;
    this.#startTool(callId, string(name) ?? 'tool', args);
    this.#endTool(callId, {
      output: contentText(result),
      details: object(object(result).details),
      isError: isError === true,
    });
  }

  /** Items repeat what `tool` events say, which only some clients get. */
  #readItem({ kind, phase, toolCallId, name, title, status, error }: Json): void {
    const callId = string(toolCallId);
    if (kind !== 'tool' || callId === undefined) return;
    const item = { name: string(name) ?? 'tool', title: string(title) };
    if (phase === 'start' && !this.#tools.has(callId)) this.#items.set(callId, item);
    if (phase !== 'end') return;
    const words = string(error);
    if (status === 'failed' && isApprovalText(words)) this.needsApproval(words, callId);
    if (this.#tools.has(callId) && !this.#items.has(callId)) return;
    this.#startItem(callId, item);
    const isError = status === 'failed';
    this.#endTool(callId, { output: words ?? '', details: {}, isError });
  }

  #startItem(callId: string, { name, title }: { name: string; title: string | undefined }): void {
    this.#startTool(callId, name, { description: title });
  }

  #startTool(callId: string, name: string, input: unknown): void {
    if (this.#tools.has(callId)) return;
    this.#endText();
    const action = actionOf(name, input);
    this.#tools.set(callId, { name, action, printed: '' });
    this.#emit({ type: 'tool.started', callId, name, action, ...(isObject(input) && { input }) });
  }

  /** The gateway sends all output so far, or the end of it. */
  #growOutput(callId: string, output: string): void {
    const tool = this.#tools.get(callId);
    if (!tool || !output.startsWith(tool.printed) || output === tool.printed) return;
    const more = output.slice(tool.printed.length);
    tool.printed = output;
    this.#emit({ type: 'tool.updated', callId, output: more });
  }

  #endTool(callId: string, { output, details, isError }: ToolEnd): void {
    const exitCode = integer(details.exitCode);
    const hasFailed = isError || (exitCode !== undefined && exitCode !== 0);
    const reason = string(details.error) ?? output;
    // A command that failed by itself may print anything.
    const isRefused = isError && exitCode === undefined;
    if (isRefused && isApprovalText(reason)) this.needsApproval(reason, callId);
    const isDenied = isRefused && (isApprovalText(reason) || DENIED.test(reason));
    const outcome = isDenied ? 'denied' : hasFailed ? 'error' : 'ok';
    if (this.#isRecording && !isRefused) this.#approvals.delete(callId);
    this.#requests.infer(callId, isRefused ? 'deny' : 'allow');
    const action = this.#tools.get(callId)?.action;
    const isCommand = action?.type === 'command' && exitCode !== undefined;
    this.#emit({
      type: 'tool.completed',
      callId,
      outcome,
      output: string(details.error) ?? output,
      ...(isCommand ? { action: { ...action, exitCode } } : {}),
    });
  }

  #readLifecycle({ phase, approvalId, toolCallId }: Json): void {
    if (phase !== 'waiting-approval') return;
    const [id, callId] = [string(approvalId) ?? '', string(toolCallId)];
    this.needsApproval(`a command waits for exec.approval ${id}`.trim(), callId);
    if (!this.#isRecording || callId === undefined) return;
    const item = this.#items.get(callId);
    if (item) this.#startItem(callId, item);
    const tool = this.#tools.get(callId);
    if (!tool) return;
    const { name, action } = tool;
    this.#requests.askPermission(
      { requestId: id, callId, tool: name, action, reason: item?.title, scopes: ['once'] },
      () => {},
    );
  }

  #readStatus(data: Json): void {
    const words = string(data.message) ?? string(data.error) ?? string(data.reason);
    if (data.phase !== 'retrying') return;
    const message = words ?? `${LABEL} retries the request to the model.`;
    this.#emit({ type: 'notice', level: 'warning', code: 'retry', message, data });
  }

  #reportMedia({ media }: RunPayloads): void {
    if (media.length === 0) return;
    const message = `The answer has media: ${media.join(', ')}`;
    this.#emit({ type: 'notice', level: 'info', code: 'status', message, data: { media } });
  }
}

type ToolEnd = { output: string; details: Json; isError: boolean };

/** Wording of a gateway for a denial by a person or a policy. */
const DENIED = /\bexec denied\b|user-denied/i;

/** The words by which a runner recognises that an operator has to approve something. */
function isApprovalText(text: string | undefined): text is string {
  return text !== undefined && /approval/i.test(text);
}

function approvalError(reason: string): ErrorInfo {
  const [line = ''] = reason.split('\n');
  return errorInfo('approval_required', `${LABEL} requires operator approval: ${line}`);
}

function aborted(): ErrorInfo {
  return errorInfo('interrupted', `The run was aborted in the ${LABEL} gateway.`);
}

function failureError(words: string | undefined): ErrorInfo {
  const message = words?.trim() || `The run failed in the ${LABEL} gateway.`;
  const status = /\bHTTP (\d{3})\b/.exec(message)?.[1];
  const code = providerErrorCode({ status: status ? Number(status) : undefined, words: message });
  return errorInfo(
    code ?? GATEWAY_WORDS.find(([rule]) => rule.test(message))?.[1] ?? 'agent_failed',
    message,
  );
}

/** Error codes by OpenClaw's text for provider errors without a status. */
const GATEWAY_WORDS = [
  [/context overflow|prompt too large/i, 'context_too_long'],
  [/authentication failed|re-authenticate/i, 'auth_missing'],
  [/rejected the request/i, 'request_rejected'],
  [/rate[- ]limit/i, 'rate_limited'],
  [/timed out|timeout/i, 'provider_error'],
] as const;

function outcomeOf({ code }: ErrorInfo, { status }: Json): Verdict['outcome'] {
  if (code === 'timed_out') return 'timed_out';
  return code === 'interrupted' && status === 'timeout' ? 'cancelled' : 'failed';
}

/** Returns the text of a tool result. */
function contentText(result: unknown): string {
  const parts = array(object(result).content).map(object);
  return parts.flatMap(({ text }) => string(text) ?? []).join('\n');
}
