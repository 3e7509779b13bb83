import type { Dialect, EventDraft } from '../dialect.ts';

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
