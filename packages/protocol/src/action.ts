import { z } from 'zod';
import type { Closed } from './closed.ts';

/** One file that a tool changes. `diff` is a unified diff, or the whole text of a new file when `kind` is `add`. */
export const fileChangeSchema = z.looseObject({
  path: z.string(),
  kind: z.enum(['add', 'edit', 'delete', 'rename']),
  newPath: z.string().optional(),
  diff: z.string().optional(),
});
export type FileChange = Closed<z.infer<typeof fileChangeSchema>>;

/** One step of a plan or todo list. */
export const planEntrySchema = z.looseObject({
  text: z.string(),
  status: z.enum(['pending', 'in_progress', 'completed']),
});
export type PlanEntry = Closed<z.infer<typeof planEntrySchema>>;

const known = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('file.read'), path: z.string() }),
  z.looseObject({ type: z.literal('file.edit'), changes: z.array(fileChangeSchema) }),
  z.looseObject({
    type: z.literal('command'),
    command: z.string(),
    cwd: z.string().optional(),
    background: z.boolean().optional(),
    exitCode: z.int().optional(),
  }),
  z.looseObject({ type: z.literal('search'), query: z.string(), path: z.string().optional() }),
  z.looseObject({
    type: z.literal('fetch'),
    url: z.string().optional(),
    query: z.string().optional(),
  }),
  z.looseObject({
    type: z.literal('plan'),
    text: z.string().optional(),
    entries: z.array(planEntrySchema).optional(),
  }),
  z.looseObject({
    type: z.literal('subagent'),
    prompt: z.string().optional(),
    agent: z.string().optional(),
    description: z.string().optional(),
  }),
  z.looseObject({
    type: z.literal('mcp'),
    server: z.string(),
    tool: z.string(),
    arguments: z.unknown().optional(),
  }),
  z.looseObject({ type: z.literal('other'), description: z.string().optional() }),
]);

const KNOWN_TYPES = new Set<string>(known.options.map((option) => option.shape.type.value));

/**
 * The action of a tool call, in the same form for every agent. Unknown types are kept unchanged; a known type must have
 * its shape.
 */
export const actionSchema = z.union([
  known,
  z.looseObject({ type: z.string().refine((type) => !KNOWN_TYPES.has(type)) }),
]);
export type Action = Closed<z.infer<typeof known>>;
export type ActionType = Action['type'];
