import { isObject, type Json, object, parseJson, string } from '@baton/config/values/json';
import type { Dialect, DialectOut, StreamEnd, Verdict } from '@baton/engine/definition/dialect';
import { strayLine } from '@baton/engine/normalize/stray-line';
import type { Usage } from '@baton/protocol/values';
import { StreamJsonReader } from './reader.ts';
import { UsageMeter } from './usage.ts';
import type { StreamAgent } from './verdict.ts';

/** Line types that the stream has too; the rest of a transcript is for Claude itself. */
const MESSAGES = new Set<unknown>(['user', 'assistant', 'system']);
/** Stop reasons of a model that has finished its answer. */
const FINISHED = new Set<unknown>(['end_turn', 'stop_sequence']);

/** True if a line is from a transcript, the file in which Claude keeps a session. */
export function isTranscriptLine(line: string): boolean {
  const { type, sessionId, session_id: streamed } = object(parseJson(line));
  return typeof type === 'string' && typeof sessionId === 'string' && streamed === undefined;
}

/** Reads a transcript as the stream that Claude would have printed. */
export function transcriptReader(out: DialectOut, agent: StreamAgent): Dialect {
  const stream = new StreamJsonReader(out, { agent });
  const usage = new TranscriptUsage();
  let isFinished = false;
  return {
    line(line) {
      const entry = parseJson(line);
      if (!isObject(entry)) return strayLine(line, out.emit);
      if (!MESSAGES.has(entry.type)) return;
      if (entry.type !== 'system') isFinished = FINISHED.has(object(entry.message).stop_reason);
      usage.see(entry);
      stream.line(JSON.stringify(asStreamed(entry)));
    },
    end(end: StreamEnd): Verdict | undefined {
      // A transcript has no result; an answer that came to its end is one.
      const verdict: Verdict | undefined = isFinished ? { outcome: 'done' } : stream.end(end);
      return verdict && { ...verdict, usage: usage.total() };
    },
  };
}

/** Adds up what the messages of a transcript used. Each block of a message is a line, and the last one has all of it. */
class TranscriptUsage {
  #main = new Map<string, Json>();
  #subAgents = new Map<string, Json>();

  see({ isSidechain, message, uuid }: Json): void {
    const { id, usage } = object(message);
    const key = string(id) ?? string(uuid);
    if (key === undefined || !isObject(usage)) return;
    (isSidechain ? this.#subAgents : this.#main).set(key, usage);
  }

  total(): Usage | undefined {
    const meter = new UsageMeter();
    let total: Usage | undefined;
    // The main agent comes last, because its last message fills the context.
    for (const usage of [...this.#subAgents.values(), ...this.#main.values()]) {
      meter.begin(usage);
      total = meter.add({});
    }
    return total;
  }
}

function asStreamed({ sessionId, toolUseResult, isSidechain, ...entry }: Json): Json {
  return {
    parent_tool_use_id: isSidechain ? 'sidechain' : null,
    ...entry,
    session_id: sessionId,
    tool_use_result: toolUseResult,
  };
}
