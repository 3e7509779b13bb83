import { stripVTControlCharacters } from 'node:util';
import { defaultRegistry } from '@baton/agents/registry/default-baton';
import { isObject, parseJson } from '@baton/config/values/json';
import type { Backend, RunInput } from '@baton/engine/definition/backend';
import {
  BatonError,
  type McpTaskPacket,
  OUTCOME_TABLE,
  type RunResult,
} from '@baton/protocol/values';

export { parseClaudeCliOutput } from './cli-output.ts';

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
  return defaultRegistry().canonicalName(name);
}

export type RunnerViewOptions = {
  /** The backend names whose tasks it takes; its own name when not given. */
  handles?: readonly string[];
  /** Options for every run, such as the folder to work in. */
  defaults?: Partial<RunInput>;
  /** Options that follow from a task, over all others; one that is undefined removes the option. */
  forTask?(request: RunnerExecutionRequest): Partial<RunInput>;
};

/** Shows any backend as the runner wants to see it. */
export function runnerBackend(
  backend: Backend,
  options: RunnerViewOptions = {},
): RunnerExecutionBackend {
  const handles = (options.handles ?? [backend.id]).map(normalizeExecutionBackend);
  return {
    id: backend.id,
    canExecute: (name) => handles.includes(normalizeExecutionBackend(name)),
    execute: async (request) => {
      const stderr: string[] = [];
      const result = await start(backend, () => {
        if (backend.id === 'pi') checkPiPacket(request.packet);
        return {
          ...options.defaults,
          ...runInput(request),
          ...options.forTask?.(request),
          onPrinted: (line, stream) => void (stream === 'stderr' && stderr.push(line)),
        };
      });
      const execution = executionResult(result, stderr.join('\n'));
      return withExecutionDefaults(execution, request.startedAt);
    },
  };
}

/** Fills in what an execution backend omitted. */
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
  const schema = outputSchema(execution?.outputSchemaJson);
  // What the packet does not say is left to the runner's defaults.
  return {
    prompt,
    ...(execution?.model ? { model: execution.model } : {}),
    ...(allowed.length > 0 ? { tools: { allowed } } : {}),
    ...(seconds ? { timeouts: { totalMs: seconds * 1000 } } : {}),
    ...(schema ? { outputSchema: schema } : {}),
    signal: abortSignal,
  };
}

/** The contract of Pi: the task has its prompt in its packet. */
function checkPiPacket({ prompt }: McpTaskPacket): void {
  if (prompt?.rendered) return;
  throw new BatonError('usage', 'A task for Pi must have packet.prompt.rendered.');
}

async function start(backend: Backend, input: () => RunInput): Promise<RunResult> {
  try {
    return await backend.run(input()).collect();
  } catch (error) {
    if (!BatonError.is(error)) throw error;
    return { outcome: 'failed', output: '', error: error.toJSON(), durationMs: 0 };
  }
}

function executionResult(result: RunResult, stderr: string): RunnerExecutionResult {
  const status = OUTCOME_TABLE[result.outcome].runnerStatus;
  return {
    status,
    output: status === 'failed' ? failureWords(result, stderr) : result.output,
    ...(result.usage?.totalTokens === undefined ? {} : { tokensUsed: result.usage.totalTokens }),
    ...(result.usage?.costUsd === undefined ? {} : { costUsd: result.usage.costUsd }),
    durationMs: result.durationMs,
  };
}

/** All that a program with an exit code wrote to standard error, where the message of the error is shortened. */
function failureWords({ exitCode, error, output }: RunResult, stderr: string): string {
  const words = exitCode ? stripVTControlCharacters(stderr).trim() : '';
  return words || (error?.message ?? output);
}

function outputSchema(json: string | null | undefined): Record<string, unknown> | undefined {
  if (!json) return undefined;
  const schema = parseJson(json);
  if (isObject(schema)) return schema;
  throw new BatonError('usage', 'packet.execution.outputSchemaJson is not a JSON object.');
}
