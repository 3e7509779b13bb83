import { z } from 'zod';
import type { Closed } from '../closed.ts';
import { errorInfoSchema } from '../error-info.ts';
import { eventTimeSchema } from '../event-time.ts';
import { OUTCOMES } from '../outcome.ts';
import { outcomeSchema } from '../run-result.ts';
import { usageSchema } from '../usage.ts';

/** Fields of every event of a chain run. */
const envelope = {
  /** 1, 2, 3 … within the chain run, without gaps. */
  seq: z.int().positive(),
  /** Milliseconds since 1970. */
  time: eventTimeSchema,
};
/**
 * The path of a step: ids joined by slashes, with the number of the iteration behind a `#`, such as `fix#2/test`.
 */
const ofStep = { step: z.string() };
/** The id of a user; absent in a chain without a daemon. */
const by = z.string().optional();

function event<const Type extends string, Shape extends z.core.$ZodLooseShape>(
  type: Type,
  shape: Shape,
) {
  return z.looseObject({ ...envelope, type: z.literal(type), ...shape });
}

/** Outcomes of a step; a step whose condition does not hold is skipped. */
export const STEP_OUTCOMES = [...OUTCOMES, 'skipped'] as const;
export type StepOutcome = (typeof STEP_OUTCOMES)[number];
export const stepOutcomeSchema = z.enum(STEP_OUTCOMES);

/** Emitted once, first. */
const chainStartedSchema = event('chain.started', {
  by,
  chain: z.string(),
  inputs: z.record(z.string(), z.string()),
});

/** A chain run that was interrupted, waited for an approval, or failed continues. */
const chainResumedSchema = event('chain.resumed', { by });

/** A step begins. A step with an agent has the task that runs it; the task is created after this event is stored. */
const stepStartedSchema = event('step.started', {
  ...ofStep,
  backend: z.string().optional(),
  sessionId: z.string().optional(),
  taskId: z.string().optional(),
  /** The folder of the step; if it has a worktree, the folder that the worktree is made from. */
  cwd: z.string().optional(),
  /** The task continues the agent's session of an interrupted attempt. */
  continues: z.boolean().optional(),
});

/** The worktree in which the agent of a step works. */
const stepWorkspaceSchema = z.looseObject({
  workspace_id: z.string(),
  branch: z.string().nullable(),
  base_ref: z.string().nullable(),
  /** Root of its files. */
  path: z.string(),
  /** The folder in it that the agent starts in. */
  cwd: z.string(),
});
export type StepWorkspace = Closed<z.infer<typeof stepWorkspaceSchema>>;

/** The agent of a step is about to start in a worktree, which is there now; emitted again if it continues in another. */
const stepPlacedSchema = event('step.placed', {
  ...ofStep,
  workspace: stepWorkspaceSchema,
});

/** The process that ran the chain ended while the step was running. */
const stepInterruptedSchema = event('step.interrupted', {
  ...ofStep,
  /** Usage of its agent until then, as far as it is known. */
  usage: usageSchema.optional(),
});

/** A step ended. Stored before the next step begins. */
const stepCompletedSchema = event('step.completed', {
  ...ofStep,
  outcome: stepOutcomeSchema,
  output: z.string().optional(),
  structured: z.unknown().optional(),
  /** Usage of its agent; a step that contains other steps has none of its own. */
  usage: usageSchema.optional(),
  error: errorInfoSchema.optional(),
  /** True if the agent printed the completion marker. */
  marker: z.boolean().optional(),
});

/** An approval step needs a decision. */
const approvalRequestedSchema = event('approval.requested', {
  ...ofStep,
  message: z.string(),
});

const approvalAnsweredSchema = event('approval.answered', {
  ...ofStep,
  by,
  decision: z.enum(['approve', 'reject']),
  comment: z.string().optional(),
});

/** Information that is not a failure, such as the use of a fallback. */
const chainNoticeSchema = event('chain.notice', {
  step: z.string().optional(),
  code: z.string(),
  message: z.string(),
});

/** A stop of the whole chain was requested. */
const chainStopRequestedSchema = event('chain.stop_requested', {
  by,
  reason: z.string().optional(),
});

/** The chain has ended; a failed one can be resumed, so it may not be the last event. */
const chainCompletedSchema = event('chain.completed', {
  outcome: outcomeSchema,
  error: errorInfoSchema.optional(),
});

export const chainEventSchema = z.discriminatedUnion('type', [
  chainStartedSchema,
  chainResumedSchema,
  stepStartedSchema,
  stepPlacedSchema,
  stepInterruptedSchema,
  stepCompletedSchema,
  approvalRequestedSchema,
  approvalAnsweredSchema,
  chainNoticeSchema,
  chainStopRequestedSchema,
  chainCompletedSchema,
]);

/** An event of a chain run. */
export type ChainEvent = Closed<z.infer<typeof chainEventSchema>>;
export type ChainEventType = ChainEvent['type'];
export type ChainEventOf<Type extends ChainEventType> = Extract<ChainEvent, { type: Type }>;

type WithoutPlace<Event> = Event extends unknown ? Omit<Event, 'seq' | 'time'> : never;
/** An event before it has its number. */
export type ChainDraft = WithoutPlace<ChainEvent>;
