import {
  finishedWords,
  isTaskEvent,
  type LogEvent,
  type SessionChanges,
} from '@baton/protocol/values';
import { drained } from '../terminal/drained.ts';
import { safe } from '../view/style.ts';
import { eventText, UnparsedCount } from '../view/transcript-view.ts';

/** Prints the events of a session, as text or as JSON. */
export async function printLog(events: AsyncIterable<LogEvent>, isJson: boolean): Promise<void> {
  const unparsed = new UnparsedCount();
  for await (const event of events) {
    const lines = isJson ? [JSON.stringify(event)] : [unparsed.see(event), logText(event)];
    for (const line of lines) if (line !== undefined) process.stdout.write(`${line}\n`);
    await drained(process.stdout);
  }
}

/** An event of a session as text; nothing for events without text. */
export function logText(event: LogEvent): string | undefined {
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
    case 'task.widened':
      return `# permission mode: ${event.permissionMode} in place of ${event.from}`;
    case 'task.lost':
      return '! executor lost';
    case 'work.finished':
      return safe(`# ${finishedWords(event)}`);
    case 'session.notice':
      return safe(`! ${event.code}: ${event.message}`);
    default:
      return undefined;
  }
}

/** The changes of a session as text. */
export function changeWords(changes: SessionChanges): string {
  const parts = Object.entries(changes).map(([name, value]) => {
    if (name === 'archived') return value ? 'archived' : 'unarchived';
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
