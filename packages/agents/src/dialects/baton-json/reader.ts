import { isObject, type Json, parseJson, string } from '@baton/config/values/json';
import type {
  Dialect,
  DialectOut,
  EventDraft,
  StreamEnd,
  Verdict,
} from '@baton/engine/definition/dialect';
import { PROVIDER_WORDS } from '@baton/engine/kit/provider-errors';
import { judgeEnd } from '@baton/engine/normalize/end-verdict';
import { strayLine } from '@baton/engine/normalize/stray-line';
import type { ErrorInfo, Outcome, Usage } from '@baton/protocol/values';

/**
 * The events that are passed on, with the fields that they cannot do without. Requests are not among them: the program
 * that prints them settles them itself.
 */
const PASSED_ON: Readonly<Record<string, readonly string[]>> = {
  'run.identified': ['nativeSessionId'],
  'message.started': ['messageId', 'kind'],
  'message.delta': ['messageId', 'text'],
  'message.completed': ['messageId'],
  'tool.started': ['callId', 'name', 'action'],
  'tool.updated': ['callId'],
  'tool.completed': ['callId', 'outcome'],
  'plan.updated': ['entries'],
  'usage.updated': ['usage'],
  'file.changed': ['change'],
  notice: ['level', 'code', 'message'],
  unparsed: ['line'],
};
const DROPPED: ReadonlySet<string> = new Set([
  'run.started',
  'permission.requested',
  'permission.resolved',
  'question.requested',
  'question.resolved',
]);
const OUTCOMES: readonly string[] = ['done', 'failed', 'timed_out', 'cancelled'];

/** True if a line is Baton's event `run.started`. */
export function isEventLine(line: string): boolean {
  const json = line.startsWith('{') ? parseJson(line) : undefined;
  return isEvent(json) && json.type === 'run.started';
}

/** Reads the events of Baton itself, which `baton run --json` and compiled agents print. */
export function eventReader(out: DialectOut, label: string): Dialect {
  let understood = false;
  let hasEnded = false;
  return {
    line(line) {
      const json = line.startsWith('{') ? parseJson(line) : undefined;
      if (!isEvent(json)) return strayLine(line, out.emit);
      understood = true;
      if (json.type === 'run.completed') {
        hasEnded = true;
        return out.complete(verdictOf(json));
      }
      if (DROPPED.has(json.type)) return;
      const { seq: _seq, time: _time, runId: _runId, ...draft } = json;
      const fields = PASSED_ON[json.type];
      const isComplete = fields?.every((name) => draft[name] !== undefined) ?? false;
      if (!isComplete) return out.emit({ type: 'unparsed', source: 'stdout', line });
      out.emit(draft as unknown as EventDraft);
    },
    end(end: StreamEnd) {
      return hasEnded ? undefined : judgeEnd(end, label, { understood, words: PROVIDER_WORDS });
    },
  };
}

function isEvent(json: unknown): json is Json & { type: string } {
  return isObject(json) && typeof json.type === 'string' && typeof json.seq === 'number';
}

function verdictOf({ outcome, output, structured, usage, error }: Json): Verdict {
  const known = string(outcome);
  return {
    outcome: known !== undefined && OUTCOMES.includes(known) ? (known as Outcome) : 'failed',
    output: string(output),
    ...(structured === undefined ? {} : { structured }),
    ...(isObject(usage) ? { usage: usage as Usage } : {}),
    ...(isObject(error) ? { error: error as unknown as ErrorInfo } : {}),
  };
}
