import {
  array,
  isObject,
  type Json,
  number,
  object,
  parseJson,
  string,
} from '@baton/config/values/json';
import { brokenPromises } from '@baton/engine/run/event-promises';
import type { ErrorCode } from '@baton/protocol';
import { describe, expect, test } from 'vitest';
import { type Recording, recordings, replayed } from '../../testing/recordings.ts';
import { claudeDialects } from './dialect.ts';

/** The recordings that do not end well, and how; all others are done. */
const FAILURES: Readonly<Record<string, readonly ['failed' | 'cancelled', ErrorCode]>> = {
  '11-skip-permissions-as-root': ['failed', 'root_refused'],
  '13-max-turns-hit': ['failed', 'max_turns'],
  '14-max-turns-hit-json': ['failed', 'max_turns'],
  '17-no-prompt-stdin-null': ['failed', 'usage'],
  '19-session-id-reuse': ['failed', 'usage'],
  '23-resume-unknown': ['failed', 'session_not_found'],
  '34-max-budget-hit': ['failed', 'budget_exceeded'],
  '43-refusal-stop': ['failed', 'refused'],
  '51-api-401-json': ['failed', 'auth_missing'],
  '52-api-403': ['failed', 'access_denied'],
  '54-api-400-credit': ['failed', 'quota_exhausted'],
  '55-api-400-prompt-too-long': ['failed', 'context_too_long'],
  '56-api-404-model': ['failed', 'model_not_found'],
  '57-api-429-retries2': ['failed', 'rate_limited'],
  '58-api-529-retries2': ['failed', 'overloaded'],
  '60-api-500-retries2': ['failed', 'provider_error'],
  '61-api-html502-retries0': ['failed', 'provider_error'],
  '66-api-500-default-retries': ['failed', 'provider_error'],
  '67-hang-api-timeout-ms-3000': ['failed', 'provider_error'],
  '68-api-429-text-format-retries0': ['failed', 'rate_limited'],
  '70-sigterm-midstream': ['failed', 'interrupted'],
  '71-sigint-midstream': ['cancelled', 'interrupted'],
  '73-sigterm-during-bash': ['failed', 'interrupted'],
  '75-sigkill-during-bash': ['failed', 'agent_crashed'],
  '76-sigint-text-format': ['cancelled', 'interrupted'],
  '77-stream-drop-hard-retries1': ['failed', 'provider_error'],
  '78-stall-midstream-30s': ['failed', 'agent_crashed'],
  '83-ctl-permission-deny-interrupt': ['cancelled', 'interrupted'],
  '90-ctl-interrupt-during-bash': ['cancelled', 'interrupted'],
  '91-ctl-interrupt-while-permission-pending': ['cancelled', 'interrupted'],
  '97-ctl-malformed-stdin-line': ['failed', 'agent_crashed'],
  '106-stream-json-input-text-output': ['failed', 'usage'],
  '109-idle-no-message-then-eof': ['failed', 'output_unreadable'],
  '113-allowedTools-variadic-eats-prompt': ['failed', 'usage'],
  '116-stdin-open-no-prompt-arg': ['failed', 'usage'],
  '119-bad-session-id': ['failed', 'usage'],
  '120-bad-permission-mode': ['failed', 'usage'],
  '121-bad-json-schema': ['failed', 'usage'],
  '125-stdin-closed-reader-epipe': ['failed', 'agent_crashed'],
  '134-stall-byte-watchdog': ['failed', 'agent_crashed'],
  '139-sigint-streaming-mid-turn': ['cancelled', 'interrupted'],
  '148-json-is-error-max-turns-and-schema': ['failed', 'max_turns'],
  '150-missing-cwd-dir-resume-empty': ['failed', 'usage'],
};

const all = recordings('claude');
const structured = all.filter((recording) => messagesIn(recording).length > 0);

describe.each(all.map((recording) => [recording.name, recording] as const))(
  '%s',
  (name, recording) => {
    const { events, result } = replay(recording);
    const facts = factsOf(recording);

    test('fulfils the guarantees of the stream, and everything is recognized', () => {
      expect(brokenPromises(events)).toEqual([]);
      expect(events.filter(({ type }) => type === 'unparsed')).toEqual([]);
    });

    test('ends as the agent ended, with its own message', () => {
      const [outcome, code] = FAILURES[name] ?? ['done', undefined];
      expect([result.outcome, result.error?.code]).toEqual([outcome, code]);
      expect(result.output).toBe(facts.output);
      if (code && code !== 'interrupted' && facts.words)
        expect(result.error?.message).toBe(facts.words);
      expect(result.structured).toEqual(facts.structured);
    });

    test('names the session, and counts tokens and cost', () => {
      expect(result.nativeSessionId).toBe(facts.session);
      if (!facts.usage) return expect(result.usage).toBeUndefined();
      const { costUsd, ...tokens } = facts.usage;
      const isStopped = result.outcome === 'cancelled' && result.output !== '';
      // No stopped answer has consumed nothing.
      if (isStopped && costUsd === 0) return expect(result.usage?.totalTokens).toBeUndefined();
      expect(result.usage).toMatchObject(tokens);
      expect(result.usage?.costUsd).toBeCloseTo(costUsd, 9);
    });
  },
);

describe.each(structured.map((recording) => [recording.name, recording] as const))(
  'what the future may bring to %s',
  (_name, recording) => {
    const expected = outcomeOf(recording);

    test('unknown lines change nothing else and are kept unchanged', () => {
      const strangers = [
        '{"type":"brand_new","session_id":"x","data":{"deep":[1]}}',
        '{"type":"system","subtype":"brand_new","session_id":"x"}',
      ];
      const lines = recording.lines.flatMap((line) => [...strangers, line]);
      const { events, result } = replay({ ...recording, lines });
      expect(brokenPromises(events)).toEqual([]);
      expect(events.flatMap((event) => (event.type === 'unparsed' ? event.line : []))).toEqual(
        recording.lines.flatMap(() => strangers),
      );
      expect(comparable(result)).toEqual(expected);
    });

    test('unknown fields change nothing', () => {
      const lines = recording.lines.map((line) => {
        const value = parseJson(line);
        return value === undefined ? line : JSON.stringify(withStrangers(value));
      });
      expect(outcomeOf({ ...recording, lines })).toEqual(expected);
    });

    test('one array of all messages says the same, also over several lines', () => {
      const messages = messagesIn(recording);
      expect(outcomeOf({ ...recording, lines: [JSON.stringify(messages)] })).toEqual(expected);
      const pretty = JSON.stringify(messages, null, 2).split('\n');
      expect(outcomeOf({ ...recording, lines: pretty })).toEqual(expected);
    });

    test('cut off anywhere it still ends once, and everything in it ends', () => {
      for (let count = 0; count <= recording.lines.length; count += 1) {
        const whole = recording.lines.slice(0, count);
        const half = recording.lines[count]?.slice(0, (recording.lines[count]?.length ?? 0) / 2);
        for (const lines of half ? [whole, [...whole, half]] : [whole]) {
          const { events } = replay({ lines, end: { stderr: '' } });
          expect(brokenPromises(events)).toEqual([]);
        }
      }
    });
  },
);

function replay(recording: Pick<Recording, 'lines' | 'end'>) {
  return replayed({ id: 'claude-cli', label: 'Claude Code' }, claudeDialects, recording);
}

function outcomeOf(recording: Pick<Recording, 'lines' | 'end'>): object {
  const { events, result } = replay(recording);
  expect(brokenPromises(events)).toEqual([]);
  return comparable(result);
}

function comparable({
  durationMs: _durationMs,
  ...result
}: ReturnType<typeof replay>['result']): object {
  return result;
}

function withStrangers(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withStrangers);
  if (!isObject(value)) return value;
  return { ...value, a_stranger: { type: 'new' } };
}

// From here on, a reader that knows nothing of the dialect: what a recording says about itself.

type Facts = {
  output: string;
  words: string | undefined;
  session: string | undefined;
  structured: unknown;
  usage: { inputTokens: number; outputTokens: number; costUsd: number } | undefined;
};

function factsOf(recording: Recording): Facts {
  const messages = messagesIn(recording);
  const results = messages.filter(({ type }) => type === 'result');
  const last = results.at(-1);
  const isText = messages.length === 0;
  const said = isText ? recording.stdout.replace(/\n$/, '') : (lastText(messages) ?? '');
  const words = string(last?.result) ?? string(array(last?.errors)[0]);
  const isLost = words?.startsWith('No conversation found');
  return {
    output: last && !last.is_error ? String(last.result) : said,
    words: isText ? recording.stdout.trim() || undefined : words,
    session: isLost ? undefined : messages.map((each) => string(each.session_id)).findLast(Boolean),
    structured: last?.structured_output,
    usage: last && {
      inputTokens: Math.max(
        sum(results, 'input_tokens', 'cache_read_input_tokens', 'cache_creation_input_tokens'),
        sumOfModels(last, 'inputTokens', 'cacheReadInputTokens', 'cacheCreationInputTokens'),
      ),
      outputTokens: Math.max(sum(results, 'output_tokens'), sumOfModels(last, 'outputTokens')),
      costUsd: number(last.total_cost_usd) ?? 0,
    },
  };
}

function messagesIn({ lines }: Recording): Json[] {
  return lines.flatMap((line) => {
    const value = parseJson(line);
    return Array.isArray(value) ? value.filter(isObject) : isObject(value) ? [value] : [];
  });
}

function lastText(messages: readonly Json[]): string | undefined {
  const texts = messages.flatMap((message) => {
    if (message.type !== 'assistant' || message.error) return [];
    return array(object(message.message).content).map((block) => string(object(block).text));
  });
  const pieces = messages
    .map(({ event }) => string(object(object(event).delta).text) ?? '')
    .join('');
  return texts.filter(Boolean).at(-1) ?? (pieces || undefined);
}

function sum(results: readonly Json[], ...names: string[]): number {
  return results
    .flatMap((result) => names.map((name) => number(object(result.usage)[name]) ?? 0))
    .reduce((total, amount) => total + amount, 0);
}

/** Sums counters of the models in a result, which include what `usage` leaves out. */
function sumOfModels({ modelUsage }: Json, ...names: string[]): number {
  return Object.values(object(modelUsage))
    .flatMap((model) => names.map((name) => number(object(model)[name]) ?? 0))
    .reduce((total, amount) => total + amount, 0);
}
