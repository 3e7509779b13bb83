import { stripVTControlCharacters } from 'node:util';
import type { EventDraft } from '../definition/dialect.ts';

/**
 * Tells of a line that is no message of an agent: a blank one says nothing, words are a notice (npm and others print
 * among the messages), and what was meant to be JSON is kept as it is.
 */
export function strayLine(line: string, emit: (draft: EventDraft) => void): void {
  const message = stripVTControlCharacters(line).trim();
  if (message === '') return;
  if (/^[{[]/.test(message)) return emit({ type: 'unparsed', source: 'stdout', line });
  emit({ type: 'notice', level: 'info', code: 'text', message });
}
