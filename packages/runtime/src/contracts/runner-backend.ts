import { BatonError, type McpTaskPacket, OUTCOME_TABLE, type RunResult } from '@baton/protocol';
import { canonicalName } from '../aliases.ts';
import type { AgentRun, Backend, RunInput } from '../backend.ts';
import { isObject, parseJson } from '../normalize/json.ts';

/** A backend as the runner sees it. */
export interface RunnerExecutionBackend {
  readonly id: string;
  canExecute(backend: string): boolean;
  execute(request: RunnerExecutionRequest): Promise<RunnerExecutionResult>;
}

export type RunnerExecutionRequest = {
  taskId: string;
  taskType: string;
  packet: McpTaskPacket;
  prompt: string;
  startedAt: number;
  abortSignal: AbortSignal;
};

export type RunnerExecutionResult = {
  status?: 'done' | 'failed' | 'cancelled';
  output?: string;
  tokensUsed?: number;
  costUsd?: number;
  durationMs?: number;
};

/** The canonical name of an execution backend. */
export function normalizeExecutionBackend(name: string): string {
  return canonicalName(name);
}

export type RunnerViewOptions = {
  /** The backend names whose tasks it takes; its own name when not given. */
  handles?: readonly string[];
  /** Options for every run, such as the folder to work in. */
  defaults?: Partial<RunInput>;
};

/** Shows any backend as the runner wants to see it. */
export function runnerBackend(
  backend: Backend,
  options: RunnerViewOptions = {},
): RunnerExecutionBackend {
  const handles = options.handles ?? [backend.id];
  return {
    id: backend.id,
    canExecute: (name) => handles.includes(normalizeExecutionBackend(name)),
    execute: async (request) => {
      const result = await start(backend, { ...options.defaults, ...runInput(request) });
      return withExecutionDefaults(executionResult(result), request.startedAt);
    },
  };
}

/** Fills in what an execution backend left away. */
export function withExecutionDefaults(
  result: RunnerExecutionResult,
  startedAt: number,
): RunnerExecutionResult & { durationMs: number } {
  const status = result.status ?? 'done';
  const output = result.output || EMPTY_OUTPUT[status];
  return {
    ...result,
    status,
    ...(output === undefined ? {} : { output }),
    durationMs: result.durationMs ?? Date.now() - startedAt,
  };
}

/** Takes the answer out of what `claude -p --output-format json` printed. */
export function parseClaudeCliOutput(stdout: string): string {
  const whole = answerIn(parseJson(stdout));
  if (whole !== undefined) return whole;
  const embedded = answerIn(firstObject(stdout));
  return embedded ?? stdout.trim();
}

const EMPTY_OUTPUT: Readonly<Record<string, string>> = {
  done: '(empty response)',
  cancelled: 'Cancelled by user request',
};

function runInput({ packet, prompt, abortSignal }: RunnerExecutionRequest): RunInput {
  const { execution, policy } = packet;
  const seconds = execution?.timeoutSec ?? policy?.taskTimeoutSeconds;
  const allowed = execution?.allowedTools ?? [];
  return {
    prompt,
    model: execution?.model ?? undefined,
    tools: allowed.length > 0 ? { allowed } : undefined,
    timeouts: seconds ? { totalMs: seconds * 1000 } : undefined,
    outputSchema: outputSchema(execution?.outputSchemaJson),
    signal: abortSignal,
  };
}

async function start(backend: Backend, input: RunInput): Promise<RunResult> {
  try {
    const run: AgentRun = backend.run(input);
    return await run.result;
  } catch (error) {
    if (!BatonError.is(error)) throw error;
    return { outcome: 'failed', output: '', error: error.toJSON(), durationMs: 0 };
  }
}

function executionResult(result: RunResult): RunnerExecutionResult {
  const status = OUTCOME_TABLE[result.outcome].runnerStatus;
  return {
    status,
    output: status === 'failed' ? (result.error?.message ?? result.output) : result.output,
    ...(result.usage?.totalTokens === undefined ? {} : { tokensUsed: result.usage.totalTokens }),
    ...(result.usage?.costUsd === undefined ? {} : { costUsd: result.usage.costUsd }),
    durationMs: result.durationMs,
  };
}

function outputSchema(json: string | null | undefined): Record<string, unknown> | undefined {
  if (!json) return undefined;
  const schema = parseJson(json);
  if (isObject(schema)) return schema;
  throw new BatonError('usage', 'packet.execution.outputSchemaJson is not a JSON object.');
}

function answerIn(value: unknown): string | undefined {
  if (Array.isArray(value)) return value.map(answerIn).findLast((answer) => answer !== undefined);
  if (!isObject(value)) return undefined;
  if (typeof value.result === 'string') return value.result;
  return typeof value.response === 'string' ? value.response : undefined;
}

/** A text full of braces is not searched for ever. */
const OBJECT_TRIES = 100;

/** The first JSON object inside a text; braces inside strings do not count. */
function firstObject(text: string): unknown {
  let start = text.indexOf('{');
  for (let tries = 0; start !== -1 && tries < OBJECT_TRIES; tries += 1) {
    const end = endOfObject(text, start);
    const value = end === undefined ? undefined : parseJson(text.slice(start, end));
    if (value !== undefined) return value;
    start = text.indexOf('{', start + 1);
  }
  return undefined;
}

function endOfObject(text: string, start: number): number | undefined {
  let depth = 0;
  let inString = false;
  for (let index = start; index < text.length; index += 1) {
    const character = text[index];
    if (inString && character === '\\') index += 1;
    else if (character === '"') inString = !inString;
    else if (!inString && character === '{') depth += 1;
    else if (!inString && character === '}' && --depth === 0) return index + 1;
  }
  return undefined;
}
