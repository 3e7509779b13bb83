import { loadBackend } from '@baton/agents/registry/default-baton';
import { DEFAULT_BACKEND } from '@baton/agents/registry/registry';
import type { Backend, RunHooks, RunInput } from '@baton/engine/definition/backend';
import { denyUnattended } from '@baton/engine/run/deny-request';
import {
  type AgentEvent,
  BatonError,
  OUTCOME_TABLE,
  type RunRequest,
  type RunResult,
} from '@baton/protocol/values';
import { MarkerDetector } from './marker.ts';

/** The unified options of an agent, whichever backend runs it. */
export type AgentRuntimeOptions = RunRequest & Pick<RunHooks, 'onRequest' | 'signal' | 'onLaunch'>;

export type StreamingCallbacks = {
  /** Called with each piece of text from the agent. */
  onText?(text: string): void | Promise<void>;
  onEvent?(event: AgentEvent): void | Promise<void>;
  /** Called once, as soon as the completion marker is seen. */
  onMarker?(): void;
};

/** An agent as compiled agents and chains see it. */
export interface AgentRuntime {
  /** Resolves to true if the agent is installed and has credentials. */
  isAvailable(): Promise<boolean>;
  runOnce(
    options: AgentRuntimeOptions,
  ): Promise<{ exitCode: number; output?: string; structured?: object[] }>;
  runStreaming(
    options: AgentRuntimeOptions,
    callbacks: StreamingCallbacks,
  ): Promise<{ exitCode: number; markerDetected: boolean; structured?: object[] }>;
  runInteractive(
    options: AgentRuntimeOptions | Omit<AgentRuntimeOptions, 'prompt'>,
  ): Promise<{ exitCode: number }>;
}

/** Shows any backend as an agent runtime. */
export function agentRuntime(backend: Backend): AgentRuntime {
  return {
    async isAvailable() {
      const { installed, problems } = await backend.probe();
      return installed && problems.length === 0;
    },

    async runOnce(options) {
      const { result, events } = await follow(backend, options);
      const output = result.outcome === 'done' ? result.output : failureWords(result);
      return { exitCode: exitCodeOf(result), output, structured: events };
    },

    async runStreaming(options, callbacks) {
      if (!backend.capabilities.features.streaming && options.mode !== 'print') {
        throw new BatonError('capability_missing', `${backend.label} does not support streaming.`, {
          hint: 'Use runOnce, or mode "print" to look for the marker in the final output.',
        });
      }
      const marker = new MarkerDetector();
      const { result, events } = await follow(backend, options, async (event) => {
        const before = marker.found;
        marker.see(event);
        if (marker.found && !before) callbacks.onMarker?.();
        await callbacks.onEvent?.(event);
        if (event.type === 'message.delta' && event.kind === 'text' && !event.parentId) {
          await callbacks.onText?.(event.text);
        }
      });
      return { exitCode: exitCodeOf(result), markerDetected: marker.found, structured: events };
    },

    async runInteractive(options) {
      if (!backend.interactive) {
        throw new BatonError('capability_missing', `${backend.label} has no interactive mode.`, {
          hint: 'Use runOnce or runStreaming.',
        });
      }
      const { mode: _mode, ...rest } = options;
      return backend.interactive(rest);
    },
  };
}

/**
 * Runs an agent by the name of its backend, or else the one that FORGE_BACKEND names, and returns its exit code. The
 * agent gets the terminal in interactive mode; otherwise the reason for a failure is printed on standard error.
 */
export async function spawnAgentAndWait(
  options: AgentRuntimeOptions & { backend?: string },
  callbacks: StreamingCallbacks = {},
): Promise<number> {
  const { backend: name, ...rest } = options;
  const wanted = name ?? (process.env.FORGE_BACKEND || DEFAULT_BACKEND);
  const runtime = agentRuntime(await loadBackend(wanted));
  if (options.mode === 'interactive') return (await runtime.runInteractive(rest)).exitCode;
  const { exitCode } = await runtime.runStreaming(rest, {
    ...callbacks,
    async onEvent(event) {
      if (event.type === 'run.completed' && event.outcome !== 'done') {
        process.stderr.write(`${failureWords(event)}\n`);
      }
      await callbacks.onEvent?.(event);
    },
  });
  return exitCode;
}

/** Returns the error message of a failed run with its hint; without an error, its output. */
function failureWords({ error, output }: Pick<RunResult, 'error' | 'output'>): string {
  if (!error) return output;
  return error.hint ? `${error.message}\n${error.hint}` : error.message;
}

async function follow(
  backend: Backend,
  input: RunInput,
  onEvent?: (event: AgentEvent) => Promise<void>,
): Promise<{ result: RunResult; events: AgentEvent[] }> {
  const events: AgentEvent[] = [];
  const run = backend.run({ ...input, onRequest: input.onRequest ?? denyUnattended });
  for await (const event of run) {
    events.push(event);
    await onEvent?.(event);
  }
  return { result: await run.result, events };
}

function exitCodeOf(result: RunResult): number {
  return OUTCOME_TABLE[result.outcome].exitCode;
}
