import { z } from 'zod';
import type { ChainEvent } from '../chain/chain-event.ts';
import { outlineStepSchema } from '../chain/chain-outline.ts';
import { CHAIN_STATUSES } from '../chain/chain-state.ts';
import type { Closed } from '../closed.ts';
import { momentSchema } from '../records/session-record.ts';
import { absolutePathSchema } from './absolute-path.ts';
import { pageSchema, pageShape } from './page.ts';
import type { ServiceWire } from './service.ts';

const pathSchema = absolutePathSchema('must be an absolute path on the machine of the daemon');
const MAX_WAIT_MS = 30_000;
const MAX_INPUT = 1_000_000;

/** One execution of a chain. */
const chainRunSchema = z.looseObject({
  chain_run_id: z.string(),
  chain: z.string(),
  file: z.string(),
  cwd: z.string(),
  inputs: z.record(z.string(), z.string()),
  /** `interrupted` if no process runs it and it has not ended. */
  status: z.enum(CHAIN_STATUSES),
  outline: z.array(outlineStepSchema),
  pending_approvals: z.int(),
  created_by: z.string().nullable(),
  created_at: momentSchema,
  updated_at: momentSchema,
  completed_at: momentSchema.nullable(),
  input_tokens: z.int(),
  output_tokens: z.int(),
  cost_usd: z.number(),
  cost_estimated: z.boolean(),
});
export type ChainRunRecord = Closed<z.output<typeof chainRunSchema>>;

/** Fields of every event; the other fields depend on its type. */
const anyChainEventSchema = z.looseObject({
  seq: z.int(),
  time: z.number(),
  type: z.string(),
}) as unknown as z.ZodType<ChainEvent>;

const ofRun = { chain_run_id: z.string() };

const newChainRunSchema = z.strictObject({
  file: pathSchema,
  chain: z.string().max(200),
  inputs: z.record(z.string().max(200), z.string().max(MAX_INPUT)).default({}),
  /** Working directory of the agents; the folder of the file by default. */
  cwd: pathSchema.optional(),
  /** Chosen by the caller. It makes the call idempotent: a retry with the same id returns the same run. */
  chain_run_id: z.uuid().optional(),
});
export type NewChainRun = z.input<typeof newChainRunSchema>;

const answerSchema = z.strictObject({
  ...ofRun,
  /** The path of the approval step. */
  step: z.string().max(1000),
  decision: z.enum(['approve', 'reject']),
  comment: z.string().max(10_000).optional(),
});
export type ChainAnswer = Omit<z.input<typeof answerSchema>, 'chain_run_id'>;

export const chainRunsWire = {
  find: {
    query: z.strictObject({
      ...pageShape,
      chain: z.string().max(200).optional(),
      cwd: z.string().max(4096).optional(),
      status: z.enum(CHAIN_STATUSES).optional(),
    }),
    result: pageSchema(chainRunSchema),
  },
  get: { result: chainRunSchema },
  create: { data: newChainRunSchema, result: chainRunSchema },
  resume: {
    data: z.strictObject({ ...ofRun, restart: z.boolean().default(false) }),
    result: chainRunSchema,
  },
  stop: {
    data: z.strictObject({ ...ofRun, reason: z.string().max(1000).optional() }),
    result: chainRunSchema,
  },
  answer: { data: answerSchema, result: chainRunSchema },
  events: {
    data: z.strictObject({
      ...ofRun,
      after: z.int().min(0).default(0),
      limit: z.int().min(1).max(5000).default(1000),
      /** Milliseconds. */
      wait: z.int().min(0).max(MAX_WAIT_MS).default(0),
    }),
    result: z.looseObject({ events: z.array(anyChainEventSchema), seq: z.int() }),
  },
} as const satisfies ServiceWire;
