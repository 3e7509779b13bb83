import type { Dialect, DialectOut, StreamEnd, Verdict } from '../../dialect.ts';
import { isObject, type Json, object, parseJson } from '../../normalize/json.ts';
import { strayLine } from '../../normalize/stray-line.ts';
import { ClaudeDialect } from './claude-dialect.ts';

/** What the stream has too; the rest of a transcript is for Claude itself. */
const MESSAGES = new Set<unknown>(['user', 'assistant', 'system']);
/** Why a model stops when it has said all it wanted. */
const FINISHED = new Set<unknown>(['end_turn', 'stop_sequence']);

/** Whether a line is of a transcript, the file in which Claude keeps a session. */
export function isTranscriptLine(line: string): boolean {
  const { type, sessionId, session_id: streamed } = object(parseJson(line));
  return typeof type === 'string' && typeof sessionId === 'string' && streamed === undefined;
}

/** Reads a transcript as the stream that Claude would have printed. */
export function claudeTranscript(out: DialectOut): Dialect {
  const stream = new ClaudeDialect(out);
  let isFinished = false;
  return {
    line(line) {
      const entry = parseJson(line);
      if (!isObject(entry)) return strayLine(line, out.emit);
      if (!MESSAGES.has(entry.type)) return;
      if (entry.type !== 'system') isFinished = FINISHED.has(object(entry.message).stop_reason);
      stream.line(JSON.stringify(asStreamed(entry)));
    },
    end(end: StreamEnd): Verdict | undefined {
      // A transcript has no result; an answer that came to its end is one.
      return isFinished ? { outcome: 'done' } : stream.end(end);
    },
  };
}

function asStreamed({ sessionId, toolUseResult, isSidechain, ...entry }: Json): Json {
  return {
    parent_tool_use_id: isSidechain ? 'sidechain' : null,
    ...entry,
    session_id: sessionId,
    tool_use_result: toolUseResult,
  };
}
