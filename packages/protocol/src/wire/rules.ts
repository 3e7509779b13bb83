import { z } from 'zod';
import type { Closed } from '../closed.ts';
import { momentSchema } from '../records/session-record.ts';
import { absolutePathSchema } from './absolute-path.ts';
import { pageSchema, pageShape } from './page.ts';
import type { ServiceWire } from './service.ts';

const decisionSchema = z.enum(['allow', 'deny']);

/** A rule that allows or denies a tool without asking, in a session or a folder. */
const ruleRecordSchema = z.looseObject({
  rule_id: z.string(),
  /** Set unless the rule belongs to a folder. */
  session_id: z.string().nullable(),
  folder: z.string().nullable(),
  tool: z.string(),
  /** Inputs that the rule matches, with * as a wildcard; null for every use of the tool. */
  pattern: z.string().nullable(),
  decision: decisionSchema,
  created_by: z.string().nullable(),
  created_at: momentSchema,
});
export type RuleRecord = Closed<z.output<typeof ruleRecordSchema>>;

const newRuleSchema = z.strictObject({
  session_id: z.string().optional(),
  folder: absolutePathSchema('must be an absolute path').optional(),
  tool: z.string().min(1).max(300),
  pattern: z.string().max(100_000).nullable().default(null),
  decision: decisionSchema,
});
export type NewRule = z.input<typeof newRuleSchema>;

const ruleQuerySchema = z.strictObject({
  ...pageShape,
  session_id: z.string().optional(),
  folder: z.string().optional(),
});
export type RuleQuery = z.input<typeof ruleQuerySchema>;

export const rulesWire = {
  find: { query: ruleQuerySchema, result: pageSchema(ruleRecordSchema) },
  create: { data: newRuleSchema, result: ruleRecordSchema },
  remove: { result: z.strictObject({ rule_id: z.string() }) },
} as const satisfies ServiceWire;
