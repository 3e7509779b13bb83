import { z } from 'zod';
import { type McpConfig, mcpConfigSchema } from './mcp.ts';
import { permissionModeSchema } from './permission.ts';
import type { PermissionMode } from './permission-mode.ts';

const milliseconds = z.number().nonnegative();

/** An image for a prompt: a file, or its bytes in base64. */
const imageSchema = z.union([
  z.strictObject({ path: z.string() }),
  z.strictObject({ data: z.string(), mimeType: z.string() }),
]);
export type ImageInput = z.infer<typeof imageSchema>;

/** Time limits of a run, in milliseconds; 0 means no limit. */
export interface Timeouts {
  /** Time until the agent's first line: 2 minutes by default, for agents that print as soon as they have started. */
  startMs?: number | undefined;
  /** Time without a line of the agent while no tool runs and no request is pending: 15 minutes by default. */
  idleMs?: number | undefined;
  /** Time from start to end; no limit by default. */
  totalMs?: number | undefined;
  /**
   * Time that the run waits for its consumer: with unread events, or with a pending request in a run that is neither
   * iterated nor collected. 10 minutes by default; then the run fails with `consumer_stalled`.
   */
  consumerMs?: number | undefined;
}

const timeoutsSchema = z.strictObject({
  startMs: milliseconds.optional(),
  idleMs: milliseconds.optional(),
  totalMs: milliseconds.optional(),
  consumerMs: milliseconds.optional(),
});

/** Retries after a transient failure. A run is never retried once a tool has started. */
export interface RetryOptions {
  /** Number of retries; 3 by default. */
  attempts?: number | undefined;
  /** First pause in milliseconds; each further pause is twice as long. */
  baseMs?: number | undefined;
}

export const retrySchema = z.strictObject({
  attempts: z.int().nonnegative().optional(),
  baseMs: milliseconds.optional(),
});

/** The options of a run that do not depend on the prompt, the same for every backend. */
export interface RunOptions {
  /** Instructions for the agent in addition to its own. */
  systemPrompt?: string | undefined;
  /** Working directory of the agent; that of this process by default. */
  cwd?: string | undefined;
  /** Environment variables for the agent, in addition to those of this process. */
  env?: Record<string, string> | undefined;
  /** The model, by the agent's name for it. */
  model?: string | undefined;
  /** Maximum number of requests to the model; then the run fails with `max_turns`. */
  maxTurns?: number | undefined;
  /** The agent's tools, by the agent's names for them. */
  tools?:
    | {
        /** Tools that the agent may use without asking. */
        allowed?: string[] | undefined;
        /** Tools that are removed from the agent. */
        disallowed?: string[] | undefined;
      }
    | undefined;
  /** Settings of the agent itself: the path of a settings file, or the values. */
  settings?: string | Record<string, unknown> | undefined;
  /** MCP servers for this run: a path to a file, or the servers. */
  mcpConfig?: string | McpConfig | undefined;
  /** `print` selects a transport for a single prompt if the agent has one. */
  mode?: 'interactive' | 'print' | undefined;
  /** Options that only this backend has. */
  providerOptions?: Record<string, unknown> | undefined;
  /** Arguments passed to the agent's command line as they are. */
  rawArgs?: string[] | undefined;
  /** Actions that need no approval; `ask` by default. */
  permissionMode?: PermissionMode | undefined;
  /** The native session to continue. */
  resume?: string | undefined;
  /** Continues in a copy of the resumed session and leaves the original as it is. */
  fork?: boolean | undefined;
  /** The native session id to use for a new session. */
  sessionId?: string | undefined;
  /** A JSON Schema that the answer must match; the value is in `result.structured`. */
  outputSchema?: Record<string, unknown> | undefined;
  /** Asks the agent once more, in the same session, if its answer does not match the schema. */
  outputSchemaRetry?: boolean | undefined;
  /** Time limits of the run. */
  timeouts?: Timeouts | undefined;
  /** Retries after a transient failure, as long as no tool has started; without it there are no retries. */
  retry?: RetryOptions | undefined;
  /** Budget of the run in US dollars; a run that exceeds it fails with `budget_exceeded`. */
  budgetUsd?: number | undefined;
  /** Images for the prompt. */
  images?: ImageInput[] | undefined;
  /** Transport to the agent, such as `live` or `print`; Baton chooses by default. */
  transport?: string | undefined;
}

export const runOptionsSchema = z.strictObject({
  systemPrompt: z.string().optional(),
  cwd: z.string().optional(),
  env: z.record(z.string(), z.string()).optional(),
  model: z.string().optional(),
  maxTurns: z.int().positive().optional(),
  tools: z
    .strictObject({
      allowed: z.array(z.string()).optional(),
      disallowed: z.array(z.string()).optional(),
    })
    .optional(),
  settings: z.union([z.string(), z.record(z.string(), z.unknown())]).optional(),
  mcpConfig: z.union([z.string(), mcpConfigSchema]).optional(),
  mode: z.enum(['interactive', 'print']).optional(),
  providerOptions: z.record(z.string(), z.unknown()).optional(),
  rawArgs: z.array(z.string()).optional(),
  permissionMode: permissionModeSchema.optional(),
  resume: z.string().optional(),
  fork: z.boolean().optional(),
  sessionId: z.string().optional(),
  outputSchema: z.record(z.string(), z.unknown()).optional(),
  outputSchemaRetry: z.boolean().optional(),
  timeouts: timeoutsSchema.optional(),
  retry: retrySchema.optional(),
  budgetUsd: z.number().positive().optional(),
  images: z.array(imageSchema).optional(),
  transport: z.string().optional(),
});

/** A prompt and the options of its run. */
export interface RunRequest extends RunOptions {
  prompt: string;
}

export const runRequestSchema = runOptionsSchema.extend({ prompt: z.string() });
