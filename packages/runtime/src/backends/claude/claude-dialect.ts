import type { ImageInput, RequestAnswer } from '@baton/protocol';
import type { Dialect, DialectOut, PromptInput, StreamEnd, Verdict } from '../../dialect.ts';
import { array, type Json, number, object, string } from '../../normalize/json.ts';
import { Control } from './control.ts';
import { verdictAtEnd } from './end.ts';
import { type ImageData, userFrame } from './frames.ts';
import type { Gate } from './gate.ts';
import { type Message, MessageLines } from './lines.ts';
import { Messages } from './messages.ts';
import { noticeOf, serverNotices } from './notices.ts';
import { Requests } from './requests.ts';
import { beganByItself, type TurnClues, verdictOf } from './result.ts';
import { Tools } from './tools.ts';
import { Turn } from './turn.ts';
import { UsageMeter } from './usage.ts';

/** What a dialect needs besides when it talks to a live Claude. */
export type LiveParts = {
  /** With it, Claude asks for what the gate says, whatever its own settings allow. */
  gate?: Gate | undefined;
  readImage?: ((image: ImageInput) => ImageData) | undefined;
};

/** Reads Claude Code in all its JSON forms, and speaks its control protocol when it listens. */
export class ClaudeDialect implements Dialect {
  #out: DialectOut;
  #lines = new MessageLines();
  #messages: Messages;
  #tools: Tools;
  #requests: Requests;
  #control: Control;
  #meter = new UsageMeter();
  #turn = new Turn();
  #clues: TurnClues = {};
  #understood = false;
  #session: string | undefined;
  #readImage: LiveParts['readImage'];

  constructor(out: DialectOut, { gate, readImage }: LiveParts = {}) {
    this.#out = out;
    this.#readImage = readImage;
    this.#messages = new Messages(out);
    this.#tools = new Tools(out);
    this.#requests = new Requests(out, this.#tools, gate);
    this.#control = new Control(out, this.#requests, gate);
    this.#control.onTakenBack = (uuid) => {
      const verdict = this.#turn.takeBack(uuid);
      if (verdict) out.complete(verdict);
    };
  }

  open(): void {
    this.#control.open();
  }

  prompt({ text, images }: PromptInput): void {
    const read = images.flatMap((image) => this.#readImage?.(image) ?? []);
    this.#out.write(userFrame(this.#turn.prompt(), text, read));
  }

  steer(text: string): void {
    this.#out.write(userFrame(this.#turn.steer(), text));
  }

  interrupt(): boolean {
    if (!this.#turn.isOpen) return false;
    this.#control.takeBack(this.#turn.unread);
    this.#control.interrupt();
    return true;
  }

  answer(requestId: string, answer: RequestAnswer): void {
    if ('stop' in answer && answer.stop) this.#control.takeBack(this.#turn.unread);
    this.#control.answer(requestId, answer);
  }

  line(line: string): void {
    for (const message of this.#lines.read(line)) this.#read(message);
  }

  end(end: StreamEnd): Verdict | undefined {
    for (const { text } of this.#lines.end()) this.#unparsed(text);
    if (this.#turn.isOver) return undefined;
    return this.#turn.held ?? verdictAtEnd(end, this.#understood);
  }

  #read({ text, json }: Message): void {
    if (!json) return this.#unreadable(text);
    this.#understood = true;
    switch (json.type) {
      case 'assistant':
        return this.#assistant(json, text);
      case 'user':
        return this.#user(json);
      case 'stream_event':
        return this.#streamEvent(json);
      case 'result':
        return this.#result(json);
      case 'control_request':
        return this.#control.request(string(json.request_id) ?? '', object(json.request));
      case 'control_response':
        return this.#control.response(object(json.response));
      case 'control_cancel_request':
        return this.#requests.cancel(string(json.request_id) ?? '');
    }
    if (json.type === 'system' && json.subtype === 'init') return this.#init(json);
    this.#other(json, text);
  }

  #init(json: Json): void {
    const model = string(json.model);
    this.#meter.model = model;
    this.#turn.isOpen = true;
    this.#session = string(json.session_id);
    this.#identify({ version: string(json.claude_code_version), model });
    for (const notice of serverNotices(json)) this.#out.emit({ type: 'notice', ...notice });
  }

  #assistant(json: Json, text: string): void {
    this.#begun(json);
    const message = object(json.message);
    const parentId = string(json.parent_tool_use_id);
    // Claude's own words in the place of an answer: the result has them again, as the error they are.
    if (string(json.error)) {
      this.#clues.kind = string(json.error);
      return;
    }
    if (parentId === undefined) this.#meter.begin(object(message.usage));
    for (const block of array(message.content).map(object)) {
      this.#messages.block(string(message.id) ?? '', block, parentId);
      const type = string(block.type) ?? '';
      if (type.endsWith('tool_use')) this.#call(block, parentId);
      else if (type.endsWith('tool_result')) this.#tools.finish(block, undefined, parentId);
      else if (type !== 'text' && !type.endsWith('thinking')) this.#unparsed(text);
    }
  }

  #call(block: Json, parentId: string | undefined): void {
    const callId = string(block.id) ?? '';
    this.#tools.start(callId, string(block.name) ?? 'unknown', block.input, parentId);
  }

  /** Besides tool results these are echoes, and prompts and remarks that Claude wrote to itself. */
  #user(json: Json): void {
    this.#turn.echo(string(json.uuid) ?? '');
    for (const block of array(object(json.message).content).map(object)) {
      if (block.type !== 'tool_result') continue;
      this.#requests.settle(string(block.tool_use_id) ?? '', block.is_error === true);
      this.#tools.finish(block, json.tool_use_result, string(json.parent_tool_use_id));
    }
  }

  #streamEvent(json: Json): void {
    this.#begun(json);
    const event = object(json.event);
    const parentId = string(json.parent_tool_use_id);
    this.#messages.piece(event, parentId);
    if (parentId !== undefined) return;
    if (event.type === 'message_start') this.#meter.begin(object(object(event.message).usage));
    if (event.type !== 'message_delta') return;
    this.#out.emit({ type: 'usage.updated', usage: this.#meter.add(object(event.usage)) });
  }

  #result(json: Json): void {
    this.#messages.end();
    this.#tools.end(json.permission_denials);
    const clues = this.#clues;
    this.#clues = {};
    if (beganByItself(json) && !this.#turn.hasPrompt) return this.#turn.skip();
    const verdict = verdictOf(json, this.#meter.end(json), clues);
    if (verdict.error?.code !== 'session_not_found') this.#begun(json);
    const last = this.#turn.end(verdict);
    if (last) this.#out.complete(last);
  }

  #other(json: Json, text: string): void {
    if (json.subtype === 'api_retry') this.#clues.retried = number(json.error_status);
    if (json.subtype === 'task_started') this.#tools.delegate(json);
    if (json.subtype === 'permission_denied') this.#tools.deny(string(json.tool_use_id) ?? '');
    const notice = noticeOf(json);
    if (notice === 'unknown') return this.#unparsed(text);
    if (notice) this.#out.emit({ type: 'notice', ...notice });
  }

  /** A turn shows itself, and with it the session, which every line names. */
  #begun(json: Json): void {
    this.#turn.isOpen = true;
    const nativeSessionId = string(json.session_id);
    if (!nativeSessionId || nativeSessionId === this.#session) return;
    this.#session = nativeSessionId;
    this.#identify({});
  }

  #identify(facts: { version?: string | undefined; model?: string | undefined }): void {
    const nativeSessionId = this.#session;
    if (nativeSessionId) this.#out.emit({ type: 'run.identified', nativeSessionId, ...facts });
  }

  #unreadable(text: string): void {
    if (text.startsWith('{') || text.startsWith('[')) return this.#unparsed(text);
    this.#out.emit({ type: 'notice', level: 'info', code: 'text', message: text });
  }

  #unparsed(line: string): void {
    this.#out.emit({ type: 'unparsed', source: 'stdout', line });
  }
}
