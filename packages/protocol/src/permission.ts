import { z } from 'zod';
import { type Action, actionSchema } from './action.ts';
import type { Closed } from './closed.ts';
import { openEnum } from './open-enum.ts';
import { PERMISSION_MODES } from './permission-mode.ts';

export const permissionModeSchema = z.enum(PERMISSION_MODES);

/** Lifetime of an answer. */
export const permissionScopeSchema = z.enum(['once', 'session', 'always']);
export type PermissionScope = z.infer<typeof permissionScopeSchema>;

/** The person or mechanism that settled a request. */
export const answeredBySchema = openEnum([
  'person',
  'policy',
  'nobody',
  'timeout',
  'agent',
  'stop',
]);
export type AnsweredBy = z.infer<typeof answeredBySchema>;

/** A request of an agent for permission to run a tool. */
export const permissionRequestSchema = z.looseObject({
  requestId: z.string(),
  /** The tool call that waits for the answer. */
  callId: z.string().optional(),
  tool: z.string(),
  action: actionSchema as unknown as z.ZodType<Action, Action>,
  input: z.unknown().optional(),
  /** The agent's own reason for the request. */
  reason: z.string().optional(),
  /** The scopes that the agent supports for this request. */
  scopes: z.array(permissionScopeSchema),
  /** True if the answer may change the input. */
  editable: z.boolean().optional(),
});
export type PermissionRequest = Closed<z.infer<typeof permissionRequestSchema>>;

/** The answer of a person or a policy to a permission request. */
export const permissionAnswerSchema = z.discriminatedUnion('decision', [
  z.strictObject({
    decision: z.literal('allow'),
    scope: permissionScopeSchema.optional(),
    /** The input to use instead of the one the agent proposed. */
    input: z.unknown().optional(),
    by: answeredBySchema.optional(),
  }),
  z.strictObject({
    decision: z.literal('deny'),
    reason: z.string().optional(),
    /** Ends the whole turn instead of letting the agent try something else. */
    stop: z.boolean().optional(),
    by: answeredBySchema.optional(),
  }),
]);
export type PermissionAnswer = z.infer<typeof permissionAnswerSchema>;

/** One question of an agent to the user. */
const questionSchema = z.looseObject({
  id: z.string(),
  header: z.string().optional(),
  question: z.string(),
  options: z.array(z.looseObject({ label: z.string(), description: z.string().optional() })),
  /** True if several options may be chosen. */
  multiple: z.boolean().optional(),
  /** True if the user may answer in their own words. */
  freeText: z.boolean().optional(),
});
export type Question = Closed<z.infer<typeof questionSchema>>;

export const questionRequestSchema = z.looseObject({
  requestId: z.string(),
  callId: z.string().optional(),
  questions: z.array(questionSchema),
});
export type QuestionRequest = Closed<z.infer<typeof questionRequestSchema>>;

/** The answers by question id, or a refusal to answer. */
export const questionAnswerSchema = z.union([
  z.strictObject({
    answers: z.record(z.string(), z.array(z.string())),
    by: answeredBySchema.optional(),
  }),
  z.strictObject({
    declined: z.literal(true),
    reason: z.string().optional(),
    by: answeredBySchema.optional(),
  }),
]);
export type QuestionAnswer = z.infer<typeof questionAnswerSchema>;

export type RequestAnswer = PermissionAnswer | QuestionAnswer;
