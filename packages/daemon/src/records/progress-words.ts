import { actionLine, type Entry, shortened } from '@baton/protocol';

const LONGEST = 160;
/** More of a text is not looked at: its last sentence is shorter, or does not fit. */
const RECENT = 2000;
/** A word may be so long before it is cut apart. */
const LONG_WORD = 40;
const sentences = new Intl.Segmenter('en', { granularity: 'sentence' });

/** What an agent is doing, by the last entry of its task, in a short line; nothing where that tells nothing. */
export function progressWords(entry: Entry, cwd: string): string {
  // What was said last is at the end of a text, and what a tool does at the beginning of its words.
  if (entry.kind === 'text') return ending(lastSentence(entry.text.slice(-RECENT)));
  return shortened(wordsOf(entry, cwd).trim(), LONGEST);
}

/** The last sentence of the last line that has words. */
function lastSentence(text: string): string {
  const line = text.split('\n').findLast((each) => /[\p{L}\p{N}]/u.test(each)) ?? text;
  const last = [...sentences.segment(line.trim())].at(-1);
  return last?.segment.trim() ?? '';
}

/** The end of what is too long, from the beginning of a word on. */
function ending(words: string): string {
  if (words.length <= LONGEST) return words;
  // Half a character is none.
  const end = words.slice(1 - LONGEST).replace(/^[\uDC00-\uDFFF]/, '');
  const space = end.search(/\s/);
  return `…${space >= 0 && space <= LONG_WORD ? ` ${end.slice(space).trim()}` : end}`;
}

function wordsOf(entry: Entry, cwd: string): string {
  switch (entry.kind) {
    case 'thinking':
      return 'Thinking…';
    case 'tool':
      return actionLine(entry.name, entry.action, cwd);
    case 'permission': {
      const words = actionLine(entry.request.tool, entry.request.action, cwd);
      return entry.open ? `Asks: ${words}` : words;
    }
    case 'question':
      return entry.open ? `Asks: ${entry.questions[0]?.question ?? ''}` : 'Thinking…';
    case 'plan':
      return entry.entries.find(({ status }) => status === 'in_progress')?.text ?? 'Plan';
    case 'file':
      return actionLine('', { type: 'file.edit', changes: [entry.change] }, cwd);
    case 'notice':
      return entry.message;
    default:
      return '';
  }
}
