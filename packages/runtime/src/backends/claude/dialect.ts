import type { Dialect, DialectEntry, DialectOut } from '../../dialect.ts';
import { isObject, type Json, parseJson } from '../../normalize/json.ts';
import { plainText } from '../../normalize/plain-text.ts';
import { ClaudeDialect } from './claude-dialect.ts';
import { LABEL, verdictAtEnd } from './end.ts';
import { errorOf } from './errors.ts';

const STREAM_TYPES = new Set(['system', 'assistant', 'user', 'stream_event']);
/** As much of a printed answer is kept to tell which error it is. */
const WORDS_LENGTH = 2000;

/** The ways in which Claude's output can look: a stream of messages, one JSON value, or bare text. */
export const claudeDialects: readonly DialectEntry[] = [
  { transport: 'live', recognises: isStreamLine, create: (out) => new ClaudeDialect(out) },
  { transport: 'print', recognises: isResultLine, create: (out) => new ClaudeDialect(out) },
  { transport: 'text', recognises: () => false, create: claudeText },
];

/** Reads Claude's bare text; when Claude fails, the text says why. */
export function claudeText(out: DialectOut): Dialect {
  const text = plainText(out, LABEL);
  let words = '';
  return {
    line(line) {
      if (words.length < WORDS_LENGTH) words += `${line}\n`;
      text.line(line);
    },
    end(end) {
      if (words === '') return verdictAtEnd(end, false);
      const verdict = text.end(end);
      if (!end.code || verdict?.error?.code !== 'agent_crashed') return verdict;
      return { ...verdict, error: errorOf({ words: words.trim() }) };
    },
  };
}

function isStreamLine(line: string): boolean {
  const { type, session_id: session } = read(line);
  if (typeof type !== 'string') return false;
  return type.startsWith('control_') || (STREAM_TYPES.has(type) && typeof session === 'string');
}

function isResultLine(line: string): boolean {
  const start = line.trim();
  if (start === '[' || start === '{') return true;
  return start.startsWith('[{"type":') || read(line).type === 'result';
}

function read(line: string): Json {
  const value = parseJson(line);
  return isObject(value) ? value : {};
}
