import { actionWords, type Entry } from '@baton/protocol';

const LONGEST = 160;

/** What an agent is doing, by the last entry of its task, in a short line; nothing where that tells nothing. */
export function progressWords(entry: Entry, cwd: string): string {
  // What was said last is at the end of a text, and what a tool does at the beginning of its words.
  if (entry.kind === 'text') return entry.text.trimEnd().slice(-LONGEST).trim();
  return wordsOf(entry, cwd).slice(0, LONGEST).trim();
}

function wordsOf(entry: Entry, cwd: string): string {
  switch (entry.kind) {
    case 'thinking':
      return 'Thinking …';
    case 'tool':
      return actionWords(entry.name, entry.action, cwd);
    case 'permission': {
      const words = actionWords(entry.request.tool, entry.request.action, cwd);
      return entry.open ? `Asks: ${words}` : words;
    }
    case 'question':
      return entry.open ? `Asks: ${entry.questions[0]?.question ?? ''}` : 'Thinking …';
    case 'plan':
      return entry.entries.find(({ status }) => status === 'in_progress')?.text ?? 'Plan';
    case 'file':
      return actionWords('', { type: 'file.edit', changes: [entry.change] }, cwd);
    case 'notice':
      return entry.message;
    default:
      return '';
  }
}
