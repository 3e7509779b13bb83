import { isTaskEvent, type LogEvent, type SessionChanges } from '@baton/protocol';
import { safe } from '../view/style.ts';
import { eventText } from '../view/transcript.ts';

/** An event of a session as a person would want to read it; nothing when there is nothing to read. */
export function logText(event: LogEvent): string | undefined {
  if (event.type === 'unparsed') return undefined;
  if (isTaskEvent(event)) return eventText(event);
  switch (event.type) {
    case 'session.created':
      return safe(`# session in ${event.cwd}${event.title ? `: ${event.title}` : ''}`);
    case 'session.changed':
      return safe(`# ${changeWords(event.changes)}`);
    case 'prompt.queued':
      return promptText(event.prompt);
    case 'prompt.edited':
      return `# the prompt was changed\n${promptText(event.prompt)}`;
    case 'task.steered':
      return promptText(event.text);
    case 'stop.requested':
      return safe(`# stop${event.reason ? `: ${event.reason}` : ''}`);
    case 'task.narrowed':
      return `# permission mode: ${event.permissionMode} in place of ${event.from}`;
    case 'task.lost':
      return '! the executor was lost';
    case 'session.notice':
      return safe(`! ${event.code}: ${event.message}`);
    default:
      return undefined;
  }
}

/** Counts the lines that nobody understood, and tells of them in one line at the end of their run. */
export class UnparsedCount {
  #counts = new Map<string, number>();

  see(event: { type: string; runId?: string }): string | undefined {
    const { type, runId = '' } = event;
    const count = this.#counts.get(runId) ?? 0;
    if (type === 'unparsed') this.#counts.set(runId, count + 1);
    if (type !== 'run.completed' || !this.#counts.delete(runId)) return undefined;
    return `?? ${count === 1 ? '1 line' : `${count} lines`} of the agent not understood; --json has them`;
  }
}

/** What somebody changed in a session. */
export function changeWords(changes: SessionChanges): string {
  const parts = Object.entries(changes).map(([name, value]) => {
    if (name === 'archived') return value ? 'archived' : 'taken out of the archive';
    return `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`;
  });
  return parts.join(', ');
}

function promptText(prompt: string): string {
  return safe(prompt)
    .split('\n')
    .map((line) => `> ${line}`)
    .join('\n');
}
