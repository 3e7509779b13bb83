import { z } from 'zod';
import { mcpConfigSchema } from './mcp.ts';
import { permissionModeSchema } from './permission.ts';

const milliseconds = z.number().nonnegative();

/** A picture given with a prompt: a file, or its bytes in base64. */
export const imageSchema = z.union([
  z.strictObject({ path: z.string() }),
  z.strictObject({ data: z.string(), mimeType: z.string() }),
]);
export type ImageInput = z.infer<typeof imageSchema>;

/** How long a run may take; 0 means no limit. */
export const timeoutsSchema = z.strictObject({
  /** Until the first sign of life of the agent. */
  startMs: milliseconds.optional(),
  /** Without any sign of life while no tool runs and no request waits for a person. */
  idleMs: milliseconds.optional(),
  /** From the beginning to the end. */
  totalMs: milliseconds.optional(),
  /** That events may wait unread for the program that reads them. */
  consumerMs: milliseconds.optional(),
});
export type Timeouts = z.infer<typeof timeoutsSchema>;

/** How often, and after what pause, a run that failed in passing is tried again before its first tool has started. */
export const retrySchema = z.strictObject({
  /** How often a run is tried again; three times unless it says otherwise. */
  attempts: z.int().nonnegative().optional(),
  /** The first pause; each further one is twice as long. */
  baseMs: milliseconds.optional(),
});
export type RetryOptions = z.infer<typeof retrySchema>;

/** The options of a run that do not depend on the prompt, the same for every backend. */
export const runOptionsSchema = z.strictObject({
  systemPrompt: z.string().optional(),
  cwd: z.string().optional(),
  /** Variables for the agent, on top of the ones Baton itself was given. */
  env: z.record(z.string(), z.string()).optional(),
  model: z.string().optional(),
  maxTurns: z.int().positive().optional(),
  tools: z
    .strictObject({
      allowed: z.array(z.string()).optional(),
      disallowed: z.array(z.string()).optional(),
    })
    .optional(),
  /** Settings of the agent itself: a path to a file of its own, or the values. */
  settings: z.union([z.string(), z.record(z.string(), z.unknown())]).optional(),
  /** MCP servers for this run: a path to a file, or the servers. */
  mcpConfig: z.union([z.string(), mcpConfigSchema]).optional(),
  mode: z.enum(['interactive', 'print']).optional(),
  /** Options that only this backend knows. */
  providerOptions: z.record(z.string(), z.unknown()).optional(),
  /** Arguments passed to the agent's command line as they are. */
  rawArgs: z.array(z.string()).optional(),
  permissionMode: permissionModeSchema.optional(),
  /** The native session to go on with. */
  resume: z.string().optional(),
  /** Goes on in a copy of the resumed session and leaves the original as it is. */
  fork: z.boolean().optional(),
  /** The native session id to use for a new session. */
  sessionId: z.string().optional(),
  /** A JSON Schema that the answer must match. */
  outputSchema: z.record(z.string(), z.unknown()).optional(),
  /** Asks the agent once more when its answer does not match the schema. */
  outputSchemaRetry: z.boolean().optional(),
  timeouts: timeoutsSchema.optional(),
  /** Tries again after a passing failure, as long as no tool has started; without it, never. */
  retry: retrySchema.optional(),
  budgetUsd: z.number().positive().optional(),
  images: z.array(imageSchema).optional(),
  /** The way to talk to the agent, when the one Baton would choose is not wanted. */
  transport: z.string().optional(),
});
export type RunOptions = z.infer<typeof runOptionsSchema>;

/** What to run: a prompt and its options. */
export const runRequestSchema = runOptionsSchema.extend({ prompt: z.string() });
export type RunRequest = z.infer<typeof runRequestSchema>;
