import type { DialectEntry } from '../../dialect.ts';
import { isObject, parseJson } from '../../normalize/json.ts';
import { ClaudeDialect } from './claude-dialect.ts';
import { claudePrinted } from './printed.ts';
import { isClaudeLine, isStreamMessage } from './signature.ts';
import { claudeText } from './text.ts';
import { claudeTranscript, isTranscriptLine } from './transcript.ts';

export { claudeText } from './text.ts';

/** The ways in which Claude's words come: its own file, a stream of messages, one JSON value, or bare text. */
export const claudeDialects: readonly DialectEntry[] = [
  { transport: 'transcript', recognises: isTranscriptLine, create: claudeTranscript },
  { transport: 'live', recognises: isStreamLine, create: (out) => new ClaudeDialect(out) },
  { transport: 'print', recognises: isClaudeLine, mayBe: mayBePrinted, create: claudePrinted },
  { transport: 'plain', recognises: () => false, create: claudeText },
];

function isStreamLine(line: string): boolean {
  const value = line.trimStart().startsWith('{') ? parseJson(line) : undefined;
  return isObject(value) && isStreamMessage(value);
}

/** Of JSON over several lines the first one tells nothing yet; the dialect looks at all of them. */
function mayBePrinted(line: string): boolean {
  const text = line.trim();
  return text === '[' || text === '{';
}
