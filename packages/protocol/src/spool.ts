import type { AgentEvent } from './event.ts';

/** The name of the file in which an executor keeps events that the daemon has not confirmed. */
export function spoolName(taskId: string): string {
  return `${taskId}.spool`;
}

/** The name of the file that replaces a spool once most of its events are confirmed. */
export function nextSpoolName(name: string): string {
  return `${name}.next`;
}

/** The name of the file next to the spool with the agent's raw output. */
export function rawName(taskId: string): string {
  return `${taskId}.raw`;
}

/** Formats a line of the raw output file: the number of the stream, then the line. */
export function rawLine(line: string, stream: 'stdout' | 'stderr'): string {
  return `${stream === 'stdout' ? 1 : 2} ${line}\n`;
}

/** The name of the folder next to the spool with the attachments of the prompt. */
export function attachmentsName(taskId: string): string {
  return `${taskId}.files`;
}

/** Formats an event as a line of the spool. */
export function spoolLine(event: AgentEvent): string {
  return `${JSON.stringify(event)}\n`;
}

/** Parses the events of a spool, up to the first incomplete line that a crash left behind. */
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
