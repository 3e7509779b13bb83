import type { ImageInput, RequestAnswer } from '@baton/protocol';
import type { Dialect, DialectOut, PromptInput, StreamEnd, Verdict } from '../../dialect.ts';
import { type Json, number, object, string } from '../../normalize/json.ts';
import { strayLine } from '../../normalize/stray-line.ts';
import { Clues } from './clues.ts';
import { blocksOf, callOf, isInterruption, isSpoken, resultBlockOf, wordsIn } from './content.ts';
import { Control } from './control.ts';
import { verdictAtEnd } from './end.ts';
import { type ImageData, userFrame } from './frames.ts';
import type { Gate } from './gate.ts';
import { type Message, MessageLines } from './lines.ts';
import { isKnownEvent, Messages } from './messages.ts';
import { keyNotice, noticeOf, serverNotices } from './notices.ts';
import { Requests } from './requests.ts';
import { beganByItself, verdictOf } from './result.ts';
import { Tools } from './tools.ts';
import { Turn } from './turn.ts';
import { type Totals, UsageMeter } from './usage.ts';

/** Lines that name the session they belong to; the one that ends a turn may name one that does not exist. */
const NAMING: ReadonlySet<unknown> = new Set([
  'assistant',
  'user',
  'stream_event',
  'tool_use',
  'tool_result',
]);

/** What a dialect needs besides when it reads a Claude that runs. */
export type LiveParts = {
  /** With it, Claude asks for what the gate says, whatever its own settings allow. */
  gate?: Gate | undefined;
  readImage?: ((image: ImageInput) => ImageData) | undefined;
  /** The totals of the session that is resumed. */
  totals?: Totals | undefined;
};

/** Reads Claude Code in all its JSON forms, and speaks its control protocol when it listens. */
export class ClaudeDialect implements Dialect {
  #out: DialectOut;
  #lines = new MessageLines();
  #messages: Messages;
  #tools: Tools;
  #requests: Requests;
  #control: Control;
  #meter: UsageMeter;
  #turn = new Turn();
  #clues: Clues;
  #understood = false;
  #session: string | undefined;
  #isKeyTold = false;
  #readImage: LiveParts['readImage'];

  constructor(out: DialectOut, { gate, readImage, totals }: LiveParts = {}) {
    this.#out = out;
    this.#meter = new UsageMeter(totals);
    this.#readImage = readImage;
    this.#clues = new Clues(out);
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
    for (const message of this.#lines.end()) this.#unparsed(message);
    if (this.#turn.isOver) return undefined;
    return this.#turn.held ?? verdictAtEnd(end, this.#understood, this.#clues.heard);
  }

  #read(message: Message): void {
    const { json } = message;
    if (!json) return strayLine(message.text, this.#out.emit);
    this.#understood = true;
    if (NAMING.has(json.type)) this.#name(json);
    switch (json.type) {
      case 'assistant':
        return this.#assistant(json, message);
      case 'user':
        return this.#user(json, message);
      case 'stream_event':
        return this.#streamEvent(json, message);
      case 'tool_use':
        return this.#toolUse(json);
      case 'tool_result':
        return this.#toolResult(json, message);
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
    this.#other(json, message);
  }

  #init(json: Json): void {
    const model = string(json.model);
    this.#meter.model = model;
    this.#turn.isOpen = true;
    this.#session = string(json.session_id);
    this.#identify({ version: string(json.claude_code_version), model });
    for (const notice of serverNotices(json)) this.#out.emit({ type: 'notice', ...notice });
    const notice = this.#isKeyTold ? undefined : keyNotice(json);
    this.#isKeyTold = true;
    if (notice) this.#out.emit({ type: 'notice', ...notice });
  }

  #assistant(json: Json, message: Message): void {
    const parentId = this.#begun(json);
    const error = string(json.error);
    if (error) return this.#clues.apology(error, wordsIn(json), parentId);
    const { id, usage } = object(json.message);
    if (parentId === undefined) {
      this.#clues.forgive();
      this.#meter.begin(object(usage));
    }
    const blocks = blocksOf(json);
    const unknown = blocks?.filter((block) => !this.#block(string(id) ?? '', block, parentId));
    if (unknown?.length !== 0) this.#unparsed(message);
  }

  /** Reads a block of the model's message; false when nobody knows such blocks. */
  #block(messageId: string, block: Json, parentId: string | undefined): boolean {
    this.#messages.block(messageId, block, parentId);
    const type = string(block.type) ?? '';
    if (type.endsWith('tool_result')) return this.#tools.finish(block, undefined, parentId);
    if (!type.endsWith('tool_use')) return type === 'text' || type.endsWith('thinking');
    const name = string(block.name) ?? 'unknown';
    this.#tools.start(string(block.id), name, block.input, parentId);
    return true;
  }

  /** Besides tool results these are echoes, and prompts and remarks that Claude wrote to itself. */
  #user(json: Json, message: Message): void {
    this.#turn.echo(string(json.uuid) ?? '');
    const isEcho = json.isReplay === true;
    const parentId = string(json.parent_tool_use_id);
    const blocks = blocksOf(json);
    if (!isEcho && parentId === undefined && blocks?.some(isInterruption)) {
      this.#clues.heard.interrupted = true;
    }
    const unknown = blocks?.filter((block) => {
      if (block.type !== 'tool_result') return !isEcho && !isSpoken(block);
      this.#requests.settle(string(block.tool_use_id) ?? '', block.is_error === true);
      return !this.#tools.finish(block, json.tool_use_result, parentId);
    });
    if (unknown?.length !== 0) this.#unparsed(message);
  }

  #streamEvent(json: Json, message: Message): void {
    const parentId = this.#begun(json);
    const event = object(json.event);
    if (event.type === 'error') {
      const words = string(object(event.error).message);
      return this.#clues.warn(words || 'The stream of the model failed.', parentId, event.error);
    }
    if (!isKnownEvent(event)) return this.#unparsed(message);
    this.#messages.piece(event, parentId);
    if (parentId !== undefined) return;
    if (event.type === 'message_start') this.#meter.begin(object(object(event.message).usage));
    if (event.type !== 'message_delta') return;
    this.#out.emit({ type: 'usage.updated', usage: this.#meter.add(object(event.usage)) });
  }

  #toolUse(json: Json): void {
    const parentId = this.#begun(json);
    const { id, name, input } = callOf(json);
    this.#tools.start(id, name, input, parentId);
  }

  #toolResult(json: Json, message: Message): void {
    const parentId = string(json.parent_tool_use_id);
    if (!this.#tools.finish(resultBlockOf(json), undefined, parentId)) this.#unparsed(message);
  }

  #result(json: Json): void {
    this.#messages.end();
    this.#tools.end(json.permission_denials);
    if (beganByItself(json) && !this.#turn.hasPrompt) {
      this.#clues.forgive();
      this.#meter.skip(json);
      return this.#turn.skip();
    }
    const verdict = verdictOf(json, this.#meter.end(json), this.#clues.heard);
    if (verdict.outcome !== 'failed') this.#clues.forgive();
    this.#clues.heard = {};
    if (verdict.error?.code !== 'session_not_found') {
      this.#begun(json);
      this.#name(json);
    }
    const last = this.#turn.end(verdict);
    if (!last) return;
    this.#isKeyTold = false;
    this.#out.complete(last);
  }

  #other(json: Json, message: Message): void {
    if (json.subtype === 'api_retry') this.#clues.heard.retried = number(json.error_status);
    if (json.subtype === 'task_started') this.#tools.delegate(json);
    if (json.subtype === 'permission_denied') this.#tools.deny(string(json.tool_use_id) ?? '');
    const notice = noticeOf(json);
    if (notice === 'unknown') return this.#unparsed(message);
    this.#name(json);
    if (notice) this.#out.emit({ type: 'notice', ...notice });
  }

  /** A turn shows itself. Gives the call of the sub-agent that speaks: those may go on after the turn, and open none. */
  #begun(json: Json): string | undefined {
    const parentId = string(json.parent_tool_use_id);
    if (parentId === undefined) this.#turn.isOpen = true;
    return parentId;
  }

  /** The session is known as soon as a line names it. */
  #name(json: Json): void {
    const nativeSessionId = string(json.session_id);
    if (!nativeSessionId || nativeSessionId === this.#session) return;
    this.#session = nativeSessionId;
    this.#identify({});
  }

  #identify(facts: { version?: string | undefined; model?: string | undefined }): void {
    const nativeSessionId = this.#session;
    if (nativeSessionId) this.#out.emit({ type: 'run.identified', nativeSessionId, ...facts });
  }

  #unparsed({ text }: Message): void {
    this.#out.emit({ type: 'unparsed', source: 'stdout', line: text });
  }
}
