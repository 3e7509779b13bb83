import { BatonError, type McpTaskPacket, OUTCOME_TABLE, type RunResult } from '@baton/protocol';
import { canonicalName } from '../aliases.ts';
import type { AgentRun, Backend, RunInput } from '../backend.ts';
import { isObject, parseJson } from '../normalize/json.ts';

export { parseClaudeCliOutput } from '../backends/claude/cli-output.ts';

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
