import type { Answer, StopReason, Usage } from './steps.ts';
import type { ResolvedCall } from './vocabulary.ts';

/** A whole turn of the model, ready to be written in any API. */
export interface Reply {
  id: string;
  model: string;
  thinking: string[];
  text: string[];
  calls: (ResolvedCall & { id: string })[];
  usage: Usage;
  stopReason: StopReason;
}

export interface ReplyContext {
  /** A number that no other reply of this server has. */
  serial: number;
  model: string;
  /** Number of earlier model turns. */
  turns: number;
  calls: ResolvedCall[];
}

/** Fills in all that a script leaves open: ids, deltas, usage and the reason to stop. */
export function makeReply(answer: Answer, context: ReplyContext): Reply {
  const serial = String(context.serial).padStart(6, '0');
  const thinking = cut(answer.thinking ?? '');
  const text = Array.isArray(answer.text) ? answer.text : cut(answer.text ?? '');
  return {
    id: `fake_${serial}`,
    model: context.model,
    thinking,
    text,
    calls: context.calls.map((call, index) => ({ ...call, id: `fake_${serial}_${index}` })),
    usage: { ...estimate(thinking, text, context), ...answer.usage },
    stopReason: answer.stopReason ?? (context.calls.length > 0 ? 'tools' : 'end'),
  };
}

const smallestDelta = 16;
const mostDeltas = 64;

/** Cuts text into deltas without cutting a character in two. */
export function cut(text: string): string[] {
  const characters = [...text];
  const size = Math.max(smallestDelta, Math.ceil(characters.length / mostDeltas));
  const pieces: string[] = [];
  for (let start = 0; start < characters.length; start += size) {
    pieces.push(characters.slice(start, start + size).join(''));
  }
  return pieces;
}

// Depends on the script alone, not on the request: agents put dates and paths into theirs.
function estimate(thinking: string[], text: string[], context: ReplyContext): Usage {
  const reasoning = tokens(thinking.join(''));
  const spoken = tokens(text.join(''));
  const called = context.calls.reduce((sum, call) => sum + tokens(JSON.stringify(call)), 0);
  return {
    input: 1200 + 250 * context.turns,
    cached: context.turns === 0 ? 0 : 1024,
    output: Math.max(1, reasoning + spoken + called),
    reasoning,
  };
}

function tokens(text: string): number {
  return Math.ceil(text.length / 4);
}
