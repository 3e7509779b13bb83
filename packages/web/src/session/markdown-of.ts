import { actionWords, type Entry, type SessionRecord } from '@baton/protocol';
import { plainOutput } from '../text/terminal.ts';
import { TurnOrder } from './turn-order.ts';

/** A session as a text that can be read anywhere. */
export function markdownOf(
  { title, cwd, backend }: Pick<SessionRecord, 'title' | 'cwd' | 'backend'>,
  entries: readonly Entry[],
): string {
  const parts = new TurnOrder()
    .inOrder(entries)
    .map((entry) => partOf(entry, cwd))
    .filter((part) => part !== undefined);
  return `${[`# ${title || cwd}`, `${backend} in ${cwd}`, ...parts].join('\n\n')}\n`;
}

function partOf(entry: Entry, cwd: string): string | undefined {
  switch (entry.kind) {
    case 'prompt':
      return `## ${new Date(entry.time).toISOString()}\n\n${quoted(entry.text)}`;
    case 'text':
      return entry.text;
    case 'thinking':
      return quoted(`Thinking: ${entry.text}`);
    case 'tool': {
      const words = `**${actionWords(entry.name, entry.action, cwd)}** (${entry.outcome ?? 'running'})`;
      const output = plainOutput(entry.output).trim();
      return output === '' ? words : `${words}\n\n${fenced(output)}`;
    }
    case 'plan':
      return entry.entries
        .map(({ text, status }) => `- [${status === 'completed' ? 'x' : ' '}] ${text}`)
        .join('\n');
    case 'notice':
      return `*${entry.message}*`;
    case 'result':
      return `*${entry.outcome}${entry.error ? `: ${entry.error.message}` : ''}*`;
    default:
      return undefined;
  }
}

function quoted(text: string): string {
  return text.replaceAll(/^/gm, '> ');
}

/** A fence that is longer than any in the text. */
function fenced(text: string): string {
  const longest = Math.max(2, ...(text.match(/`{3,}/g) ?? []).map(({ length }) => length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}\n${text}\n${fence}`;
}
