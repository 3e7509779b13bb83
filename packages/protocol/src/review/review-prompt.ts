import type { ReviewComment } from './review-comment.ts';

type Quoted = Pick<ReviewComment, 'path' | 'side' | 'line' | 'end_line' | 'quote' | 'text'>;

/** The prompt with which comments are sent to the agent: each with its file, lines and the text as it was. */
export function reviewPrompt(comments: readonly Quoted[], message = ''): string {
  const count = comments.length;
  const intro =
    message.trim() || `Address ${count === 1 ? 'this comment' : 'these comments'} on your change.`;
  const parts = comments.map((comment, index) => {
    const number = count === 1 ? '' : `${index + 1}. `;
    const quote = comment.quote === '' ? [] : [fenced(comment.quote)];
    return [`${number}${placeWords(comment)}`, ...quote, comment.text.trim()].join('\n');
  });
  return [intro, ...parts].join('\n\n');
}

/** A place as people write it: `src/a.ts:12-14`. */
export function placeWords({
  path,
  side,
  line,
  end_line,
}: Pick<Quoted, 'path' | 'side' | 'line' | 'end_line'>): string {
  if (line === null) return path;
  const range = end_line === null || end_line === line ? `${line}` : `${line}-${end_line}`;
  return `${path}:${range}${side === 'old' ? ' (before the change)' : ''}`;
}

/** A block of code, also if the code has fences itself. */
function fenced(code: string): string {
  const longest = Math.max(2, ...(code.match(/`+/g) ?? []).map(({ length }) => length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}\n${code.replace(/\n$/, '')}\n${fence}`;
}
