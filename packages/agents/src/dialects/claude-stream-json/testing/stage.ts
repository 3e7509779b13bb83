import type { Json } from '@baton/config/values/json';
import type {
  BackgroundWait,
  Dialect,
  DialectOut,
  EventDraft,
  Verdict,
} from '@baton/engine/definition/dialect';
import type { ErrorInfo } from '@baton/protocol/values';
import { Recorder } from '../../../../../engine/src/run/recorder.ts';
import { StreamJsonReader } from '../reader.ts';

/** A dialect with everything that comes out of it, for tests. */
export class StreamStage<Tested extends Dialect = StreamJsonReader> {
  readonly dialect: Tested;
  readonly drafts: EventDraft[] = [];
  readonly frames: Json[] = [];
  readonly verdicts: Verdict[] = [];
  /** The errors of limits after which the agent would continue. */
  readonly passed: ErrorInfo[] = [];
  /** The dialect's reports about background work, in order. */
  readonly waits: (BackgroundWait | undefined)[] = [];

  constructor(create: (out: DialectOut) => Tested) {
    const out: DialectOut = {
      emit: (draft) => this.drafts.push(draft),
      write: (frame) => this.frames.push(JSON.parse(frame)),
      complete: (verdict) => this.verdicts.push(verdict),
      passLimit: (error) => this.passed.push(error),
      awaitBackground: (wait) => this.waits.push(wait),
    };
    this.dialect = create(out);
  }

  /** Lets the dialect read some messages of Claude. */
  say(...messages: object[]): this {
    for (const message of messages) this.dialect.line(JSON.stringify(message));
    return this;
  }

  /** The texts that reach the caller piece by piece, once the recorder has added what the pieces missed. */
  deltas(): { text: string; parentId?: string | undefined }[] {
    const deltas: { text: string; parentId?: string | undefined }[] = [];
    const recorder = new Recorder('stage', (event) => {
      if (event.type === 'message.delta') deltas.push(event);
    });
    for (const draft of this.drafts) recorder.emit(draft);
    return deltas;
  }

  /** The drafts of one type. */
  all<Type extends EventDraft['type']>(type: Type): Extract<EventDraft, { type: Type }>[] {
    return this.drafts.filter(
      (draft): draft is Extract<EventDraft, { type: Type }> => draft.type === type,
    );
  }
}

/** The reader alone, as an agent without a control protocol uses it. */
export function readerStage(): StreamStage {
  return new StreamStage((out) => new StreamJsonReader(out, { agent: { label: 'Claude Code' } }));
}

/** A message of the model with some content blocks. */
export function assistant(id: string, content: object[], more: object = {}): object {
  return { type: 'assistant', message: { id, content }, session_id: 's', ...more };
}

/** The result of a tool call. */
export function toolResult(
  id: string,
  content: unknown,
  more: object = {},
  block: object = {},
): object {
  const result = { type: 'tool_result', tool_use_id: id, content, ...block };
  return { type: 'user', message: { content: [result] }, ...more };
}

/** The end of a turn. */
export function result(more: object = {}): object {
  const usage = { input_tokens: 10, output_tokens: 5 };
  return {
    type: 'result',
    subtype: 'success',
    is_error: false,
    result: 'The answer.',
    session_id: 's',
    total_cost_usd: 0.1,
    usage,
    ...more,
  };
}

/** An event of the model's stream. */
export function piece(event: object, more: object = {}): object {
  return { type: 'stream_event', event, session_id: 's', ...more };
}

/** The model begins a message. */
export function start(id: string): object {
  return piece({ type: 'message_start', message: { id, usage: { input_tokens: 7 } } });
}

/** The model begins a block of its message. */
export function open(index: number, type: string): object {
  return piece({ type: 'content_block_start', index, content_block: { type } });
}

/** The model says some words more. */
export function text(index: number, words: string): object {
  return piece({ type: 'content_block_delta', index, delta: { type: 'text_delta', text: words } });
}
