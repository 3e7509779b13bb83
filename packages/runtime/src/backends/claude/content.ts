import { isObject, type Json, object, string } from '../../normalize/json.ts';

/** Blocks of a user message that only repeat what was said to Claude. */
const SPOKEN = new Set<unknown>(['text', 'image', 'document']);

/** The blocks of a message; a text in their place is one block. Nothing when there are none to be found. */
export function blocksOf({ message }: Json): Json[] | undefined {
  const { content } = object(message);
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return Array.isArray(content) ? content.map(object) : undefined;
}

/** All that the text blocks of a message say. */
export function wordsIn(line: Json): string {
  return (blocksOf(line) ?? []).flatMap(({ text }) => string(text) || []).join('\n');
}

/** Whether a block of a user message is no news: somebody said it to Claude. */
export function isSpoken({ type }: Json): boolean {
  return SPOKEN.has(type);
}

/** Whether these are the words with which Claude notes for itself that it was interrupted. */
export function isInterruption({ text }: Json): boolean {
  return (
    text === '[Request interrupted by user]' ||
    text === '[Request interrupted by user for tool use]'
  );
}

/** The call of a line that is nothing but a call; such lines have the name in one of two places. */
export function callOf(line: Json): { id: string | undefined; name: string; input: unknown } {
  const name = string(line.tool_name) ?? string(line.name) ?? 'unknown';
  return { id: string(line.id) ?? string(line.tool_use_id), name, input: line.input };
}

/** The result block that a line stands for which is nothing but a result. */
export function resultBlockOf(line: Json): Json {
  const content = line.content ?? line.result;
  return { ...line, content: isObject(content) ? JSON.stringify(content) : content };
}
