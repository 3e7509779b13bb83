import type { Dialect, EventDraft } from '../definition/dialect.ts';

/** Keeps the head of a line that is too long to be read, and tells how much of it is missing. */
export function keepHead(head: string, bytes: number, emit: (draft: EventDraft) => void): void {
  const cutBytes = bytes - Buffer.byteLength(head);
  emit({ type: 'unparsed', source: 'stdout', line: head, cutBytes });
}

/** Lets a dialect read a line; a line that it trips over is kept instead of lost. */
export function readLine(dialect: Dialect, line: string, emit: (draft: EventDraft) => void): void {
  try {
    dialect.line(line);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    const message = `A line could not be read: ${why}`;
    emit({ type: 'unparsed', source: 'stdout', line });
    emit({ type: 'notice', level: 'error', code: 'agent_warning', message });
  }
}
