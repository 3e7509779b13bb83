import { actionLine, type Entry, shortened } from '@baton/protocol';

const LONGEST = 160;
/** Characters of a text that are searched for its last sentence: a longer sentence would not fit. */
const RECENT = 2000;
/** Longest word that is kept whole. */
const LONG_WORD = 40;
const sentences = new Intl.Segmenter('en', { granularity: 'sentence' });

/** Describes the current activity of an agent in a short line, by the last entry of its task; empty if unknown. */
export function progressWords(entry: Entry, cwd: string): string {
  // What was said last is at the end of a text, and what a tool does at the beginning of its words.
  if (entry.kind === 'text') return ending(lastSentence(entry.text.slice(-RECENT)));
  return shortened(wordsOf(entry, cwd).trim(), LONGEST);
}

/** Returns the last sentence of the last line that contains words. */
function lastSentence(text: string): string {
  const line = text.split('\n').findLast((each) => /[\p{L}\p{N}]/u.test(each)) ?? text;
  const last = [...sentences.segment(line.trim())].at(-1);
  return last?.segment.trim() ?? '';
}

/** Returns the end of a text that is too long, from the start of a word. */
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
