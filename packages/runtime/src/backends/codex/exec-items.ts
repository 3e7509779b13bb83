import type { EventDraft } from '../../dialect.ts';
import { planEntries } from '../../normalize/actions.ts';
import { type Json, string } from '../../normalize/json.ts';
import { outcomeOf, toolOf } from './tools.ts';

type Emit = (draft: EventDraft) => void;

/** Reports the beginning of an item; false when nobody knows what it is. */
export function itemStarted(item: Json, id: string, emit: Emit): boolean {
  if (isSaid(item) || item.type === 'error') return true;
  if (item.type === 'todo_list') return itemUpdated(item, id, emit);
  const tool = toolOf(item);
  if (!tool) return false;
  const { name, action, input } = tool;
  emit({ type: 'tool.started', callId: id, name, action, input, nativeId: string(item.id) });
  return true;
}

/** Reports news of an item. */
export function itemUpdated(item: Json, id: string, emit: Emit): boolean {
  if (item.type === 'todo_list') {
    emit({ type: 'plan.updated', entries: planEntries(item.items) ?? [] });
    return true;
  }
  const tool = toolOf(item);
  if (tool) emit({ type: 'tool.updated', callId: id, action: tool.action });
  return tool !== undefined || isSaid(item);
}

/** Reports the end of an item. */
export function itemCompleted(item: Json, id: string, emit: Emit): boolean {
  if (item.type === 'error') {
    const message = string(item.message) ?? '';
    emit({ type: 'notice', level: 'warning', code: 'agent_warning', message });
    return true;
  }
  if (item.type === 'todo_list') return itemUpdated(item, id, emit);
  if (isSaid(item)) {
    const kind = item.type === 'reasoning' ? 'thinking' : 'text';
    emit({ type: 'message.started', messageId: id, kind, nativeId: string(item.id) });
    emit({ type: 'message.completed', messageId: id, text: string(item.text) ?? '' });
    return true;
  }
  const tool = toolOf(item);
  if (!tool) return false;
  const { name, action, output } = tool;
  emit({ type: 'tool.completed', callId: id, name, action, outcome: outcomeOf(item), output });
  return true;
}

function isSaid(item: Json): boolean {
  return item.type === 'agent_message' || item.type === 'reasoning';
}
