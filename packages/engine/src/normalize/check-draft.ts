import { BatonError } from '@baton/protocol/values';
import type { EventDraft } from '../definition/dialect.ts';

/** Some programs that write or read JSON run out of stack at a few thousand levels, others refuse more than some hundred. */
const MAX_DEPTH = 256;

/** Throws if the event of a faulty agent or dialect could be neither recorded nor written as JSON. */
export function checkDraft(draft: EventDraft): void {
  switch (draft.type) {
    case 'message.delta':
      checkText(draft, 'text', draft.text);
      return checkText(draft, 'messageId', draft.messageId);
    case 'message.started':
    case 'message.completed':
      return checkText(draft, 'messageId', draft.messageId);
    case 'tool.started':
      checkText(draft, 'action.type', draft.action?.type);
      checkText(draft, 'callId', draft.callId);
      break;
    case 'tool.updated':
    case 'tool.completed':
      checkText(draft, 'callId', draft.callId);
      break;
    case 'permission.requested':
      checkText(draft, 'action.type', draft.action?.type);
      checkText(draft, 'requestId', draft.requestId);
      break;
    case 'question.requested':
      checkText(draft, 'requestId', draft.requestId);
  }
  if (isDeeper(draft, MAX_DEPTH)) throw invalid(draft, `more than ${MAX_DEPTH} levels of values`);
}

function checkText(draft: EventDraft, name: string, value: unknown): void {
  if (typeof value !== 'string') throw invalid(draft, `${name} is not a string`);
}

/** True if a value has more levels of lists and objects. */
function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((each) => isDeeper(each, levels - 1));
}

function invalid({ type }: EventDraft, problem: string): BatonError {
  return new BatonError('internal', `An event of type "${type}" is invalid: ${problem}.`);
}
