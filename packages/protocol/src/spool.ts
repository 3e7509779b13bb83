import type { AgentEvent } from './event.ts';

/** The name of the file in which an executor keeps what the daemon has not confirmed. */
export function spoolName(taskId: string): string {
  return `${taskId}.spool`;
}

/** The name of the file that takes the place of a spool when much of that is confirmed. */
export function nextSpoolName(name: string): string {
  return `${name}.next`;
}

/** The name of the file beside it, with what the agent printed. */
export function rawName(taskId: string): string {
  return `${taskId}.raw`;
}

/** What an agent printed as a line of that file: which stream it was on comes first. */
export function rawLine(line: string, stream: 'stdout' | 'stderr'): string {
  return `${stream === 'stdout' ? 1 : 2} ${line}\n`;
}

/** The name of the folder beside it in which an executor keeps what was attached to the prompt. */
export function attachmentsName(taskId: string): string {
  return `${taskId}.files`;
}

/** An event as a line of that file. */
export function spoolLine(event: AgentEvent): string {
  return `${JSON.stringify(event)}\n`;
}

/** The events in whole lines of that file, up to the first that a dying process or machine left in pieces. */
export function spoolEvents(text: string): AgentEvent[] {
  const events: AgentEvent[] = [];
  const lines = text.split('\n').slice(0, -1);
  for (const line of lines) {
    try {
      events.push(JSON.parse(line));
    } catch {
      break;
    }
  }
  return events;
}
