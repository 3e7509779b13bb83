import type { EventDraft } from '../../dialect.ts';
import { array, type Json, string } from '../../normalize/json.ts';
import type { Speech } from './speech.ts';
import { type Place, placed, type Threads } from './threads.ts';
import type { ToolCalls } from './tool-calls.ts';

type Parts = {
  emit(draft: EventDraft): void;
  speech: Speech;
  calls: ToolCalls;
  threads: Threads;
};

/** Items that say something only when they are whole. */
const QUIET_AT_START: ReadonlySet<unknown> = new Set([
  // Its words follow; a model that refuses begins a message and says nothing.
  'agentMessage',
  'contextCompaction',
  'enteredReviewMode',
  'exitedReviewMode',
  'functionCallOutput',
  'hookPrompt',
  'plan',
  'reasoning',
  'subAgentActivity',
  'userMessage',
]);

/** The items of a thread: what was said, thought and done. */
export class ThreadItems {
  #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** An item has begun; false when nobody knows what it is. */
  start(item: Json, place: Place): boolean {
    return QUIET_AT_START.has(item.type) || this.#parts.calls.start(item, place);
  }

  /** An item is whole; false when nobody knows what it is. */
  complete(item: Json, place: Place): boolean {
    const { speech, calls, threads } = this.#parts;
    const id = string(item.id) ?? '';
    switch (item.type) {
      case 'agentMessage':
      case 'plan':
        speech.complete(id, 'text', [string(item.text) ?? ''], place);
        return true;
      case 'reasoning':
        speech.complete(id, 'thinking', texts(item.summary), place);
        speech.complete(rawThought(id), 'thinking', texts(item.content), place);
        return true;
      case 'contextCompaction':
        return this.#notice('compaction', 'Codex has summed up the conversation so far.', place);
      case 'exitedReviewMode':
        return this.#notice('status', string(item.review) ?? '', place);
      case 'hookPrompt':
        return this.#notice('hook', 'A hook has added to the prompt.', place);
      case 'subAgentActivity':
        threads.adopt(id, [item.agentThreadId]);
        return this.#notice(
          'status',
          `Sub-agent ${string(item.agentPath)}: ${string(item.kind)}`,
          place,
        );
      case 'enteredReviewMode':
      case 'functionCallOutput':
      case 'userMessage':
        return true;
      case 'collabAgentToolCall':
        if (item.tool === 'spawnAgent') threads.adopt(id, array(item.receiverThreadIds));
        return calls.complete(item, place);
      default:
        return calls.complete(item, place);
    }
  }

  #notice(code: string, message: string, place: Place): true {
    this.#parts.emit({ type: 'notice', level: 'info', code, message, ...placed(place) });
    return true;
  }
}

/** Some models show their thoughts as they are, beside a summary of them: two messages from one item. */
export function rawThought(itemId: string): string {
  return `${itemId}:raw`;
}

function texts(parts: unknown): string[] {
  return array(parts).map((part) => string(part) ?? '');
}
