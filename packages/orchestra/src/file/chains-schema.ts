import {
  mcpConfigSchema,
  PERMISSION_MODES,
  STEP_OUTCOMES,
  workspaceRequestSchema,
} from '@baton/protocol';
import { z } from 'zod';
import type { Condition } from '../chain.ts';

/** Names of chains and agents. */
const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]*$/;
/** Names that templates can refer to: dots separate the parts of a path. */
const ID = /^[A-Za-z0-9][A-Za-z0-9_-]*$/;

const text = z.string();
const someText = z.string().min(1);
const texts = z.array(z.string());
const filePath = (what: string) => someText.describe(`Path of ${what}, relative to this file`);
const count = z.int().positive();

const duration = z.union([
  z.number().nonnegative(),
  z.string().regex(/^\d+(\.\d+)?\s*(ms|s|m|h)$/),
]);
const timeoutMs = duration.describe('Total timeout: milliseconds, or "90s", "5m", "1h"; 0 = none');
const budgetUsd = z.number().positive().describe('Maximum cost in USD');
const permissionMode = z
  .enum(PERMISSION_MODES)
  .describe('What the agent may do without asking; "ask" by default');
const backend = someText.describe('The backend that runs the agent; "claude-cli" by default');
const fallback = z
  .array(someText)
  .describe('Backends to use if the first is not available, in this order');
const model = someText.describe('The model, by the name that the agent knows');
const cwd = someText.describe(
  'Folder that the agent works in, relative to the folder of the chain; a template',
);
/** The name of a worktree is a template, which a schema cannot limit like a plain name. */
const workspace = z
  .union([
    z.enum(['worktree', 'in_place']),
    z.strictObject({
      kind: workspaceRequestSchema.shape.kind.describe('"worktree" or "in_place"'),
      name: someText
        .describe('Name of the worktree, a template; steps of a run that name the same share it')
        .optional(),
      base: workspaceRequestSchema.shape.base
        .unwrap()
        .describe('Branch, tag or commit that it starts from; HEAD by default')
        .optional(),
      with_changes: z.boolean().describe('Take uncommitted changes along').optional(),
    }),
  ])
  .describe('Where the agent works: "worktree" for a new Git worktree, or "in_place" (default)');
const outputSchema = z
  .union([someText, z.record(z.string(), z.unknown())])
  .describe('JSON Schema that the answer must match, or the path of a file with one');
const promptText = text.describe('The prompt; a template such as "Review {{inputs.goal}}"');
const promptFile = filePath('a file with the prompt, which is a template');

const command = z
  .union([z.string().regex(/\S/), z.array(someText).min(1)])
  .describe('Program of a compiled agent, run instead of a backend: a command line or its words');

const tools = z.strictObject({
  allowed: texts.describe('Tools that the agent may use without asking').optional(),
  disallowed: texts.describe('Tools that the agent does not get').optional(),
});

export const agentSchema = z
  .strictObject({
    description: text.describe('What the agent is for').optional(),
    backend: backend.optional(),
    fallback: fallback.optional(),
    permissionMode: permissionMode.optional(),
    prompt: promptText.optional(),
    promptFile: promptFile.optional(),
    defaultPrompt: text.describe('The same as prompt').optional(),
    defaultPromptFile: filePath('a file with the prompt; the same as promptFile').optional(),
    systemPrompt: text
      .describe('Instructions for the agent beside its own, or the path of a file with them')
      .optional(),
    systemPromptText: text.describe('Instructions for the agent beside its own').optional(),
    systemPromptFile: filePath('a file with instructions for the agent').optional(),
    cwd: cwd.optional(),
    env: z
      .record(z.string().min(1), z.string())
      .describe(
        'Variables for the agent; references to other variables are replaced when a step starts',
      )
      .optional(),
    model: model.optional(),
    maxTurns: count.describe('Maximum number of turns').optional(),
    tools: tools.describe('Tools by the names that the agent knows').optional(),
    allowedTools: texts.describe('The same as tools.allowed').optional(),
    disallowedTools: texts.describe('The same as tools.disallowed').optional(),
    settings: z
      .union([someText, z.record(z.string(), z.unknown())])
      .describe("The agent's own settings, or the path of a file with them")
      .optional(),
    mcpConfig: z
      .union([someText, mcpConfigSchema])
      .describe('MCP servers, or the path of a file with them')
      .optional(),
    mode: z.enum(['interactive', 'print']).describe('How the agent is run').optional(),
    providerOptions: z
      .record(z.string(), z.unknown())
      .describe('Options that only this backend has')
      .optional(),
    rawArgs: texts.describe("Arguments for the agent's command line, passed unchanged").optional(),
    outputSchema: outputSchema.optional(),
    timeoutMs: timeoutMs.optional(),
    idleTimeoutMs: duration
      .describe('Timeout without progress: milliseconds, or "90s", "5m", "1h"; 0 = none')
      .optional(),
    budgetUsd: budgetUsd.optional(),
    command: command.optional(),
  })
  .meta({ id: 'agent', description: 'An agent, and the options of its runs' });
export type AgentSource = z.infer<typeof agentSchema>;

const ofStep = z.string().describe('Id of an earlier step, or "previous"');
const inStructured = someText.describe('Path in its structured output, such as "files.0.path"');
const outcome = z.enum(STEP_OUTCOMES);
/** Unlike `z.unknown()`, it is required. */
const anyValue = z.union([
  z.string(),
  z.number(),
  z.boolean(),
  z.null(),
  z.array(z.unknown()),
  z.record(z.string(), z.unknown()),
]);

/** The shapes of a condition, by the key that tells them apart. */
export const CONDITION_SCHEMAS = {
  outcome: z.strictObject({
    step: ofStep,
    outcome: z.union([outcome, z.array(outcome).min(1)]).describe('How the step ended'),
  }),
  equals: z.strictObject({
    step: ofStep,
    path: inStructured.optional(),
    equals: anyValue.describe('The value that it must have'),
  }),
  exists: z.strictObject({
    step: ofStep,
    path: inStructured.optional(),
    exists: z.boolean().describe('Whether there must be a value'),
  }),
  not: z.strictObject({
    get not() {
      return conditionSchema;
    },
  }),
  all: z.strictObject({
    get all() {
      return z.array(conditionSchema).min(1);
    },
  }),
  any: z.strictObject({
    get any() {
      return z.array(conditionSchema).min(1);
    },
  }),
} as const;

const conditionSchema: z.ZodType<Condition> = z
  .lazy(() =>
    z.union([
      CONDITION_SCHEMAS.outcome,
      CONDITION_SCHEMAS.equals,
      CONDITION_SCHEMAS.exists,
      CONDITION_SCHEMAS.not,
      CONDITION_SCHEMAS.all,
      CONDITION_SCHEMAS.any,
    ]),
  )
  .meta({ id: 'condition', description: 'A condition on earlier steps' });

const stepBase = {
  id: z.string().regex(ID).describe('Unique in its list; derived if omitted').optional(),
  if: conditionSchema.describe('The step is skipped unless this holds').optional(),
  onFailure: z
    .enum(['stop', 'continue'])
    .describe('"stop" (default) ends the chain if the step fails; "continue" ignores the failure')
    .optional(),
};
const policy = z
  .enum(['fail-fast', 'wait'])
  .describe('"fail-fast" (default) stops the others when one fails; "wait" lets them finish')
  .optional();
const concurrency = count.describe('How many run at the same time').optional();

const agentStepSchema = z.strictObject({
  ...stepBase,
  agent: z.string().describe('Name of the agent, from "agents"'),
  prompt: promptText.optional(),
  promptFile: promptFile.optional(),
  iterations: count
    .describe('How often the agent runs at most; it ends early when it prints the marker')
    .optional(),
  args: texts.describe("Further arguments for the agent's command line").optional(),
  backend: backend.optional(),
  fallback: fallback.optional(),
  model: model.optional(),
  cwd: cwd.optional(),
  workspace: workspace.optional(),
  permissionMode: permissionMode.optional(),
  outputSchema: outputSchema.optional(),
  timeoutMs: timeoutMs.optional(),
  budgetUsd: budgetUsd.optional(),
});
const approvalStepSchema = z.strictObject({
  ...stepBase,
  approve: someText.describe('Question for the person who approves; a template'),
});
const parallelShape = { ...stepBase, policy, concurrency };
const loopShape = {
  ...stepBase,
  maxIterations: count.describe('Limit of the loop'),
  until: conditionSchema
    .describe('Ends the loop after an iteration; without it, the completion marker does')
    .optional(),
};
const forEachShape = {
  ...stepBase,
  forEach: z
    .union([z.array(z.unknown()), someText])
    .describe('A list, or a template that gives one: a JSON array, or the lines of a text'),
  maxItems: count
    .describe('How many items a list may have that a template gives; 100 by default')
    .optional(),
  policy,
  concurrency,
};

type Shape<Fields extends z.ZodRawShape> = z.infer<z.ZodObject<Fields>>;
export type AgentStepSource = z.infer<typeof agentStepSchema>;
export type StepSource =
  | AgentStepSource
  | z.infer<typeof approvalStepSchema>
  | (Shape<typeof parallelShape> & { parallel: StepSource[] })
  | (Shape<typeof loopShape> & { loop: StepSource[] })
  | (Shape<typeof forEachShape> & { steps: StepSource[] });

const steps = (what: string) =>
  z
    .array(z.lazy(() => stepSchema))
    .min(1)
    .describe(what);

/** The shapes of a step, by the key that tells them apart. */
export const STEP_SCHEMAS = {
  agent: agentStepSchema.meta({ description: 'Runs an agent' }),
  parallel: z
    .strictObject({ ...parallelShape, parallel: steps('Steps that run at the same time') })
    .meta({ description: 'Runs steps at the same time' }),
  loop: z
    .strictObject({ ...loopShape, loop: steps('Steps that are repeated') })
    .meta({ description: 'Repeats steps until the completion marker, a condition or a limit' }),
  forEach: z
    .strictObject({ ...forEachShape, steps: steps('Steps that run for each item') })
    .meta({ description: 'Runs steps once for each item of a list' }),
  approve: approvalStepSchema.meta({ description: 'Waits for the decision of a person' }),
} as const;

const stepSchema: z.ZodType<StepSource> = z
  .lazy(() =>
    z.union([
      STEP_SCHEMAS.agent,
      STEP_SCHEMAS.parallel,
      STEP_SCHEMAS.loop,
      STEP_SCHEMAS.forEach,
      STEP_SCHEMAS.approve,
    ]),
  )
  .meta({ id: 'step', description: 'A step of a chain' });

export const inputSchema = z.strictObject({
  description: text.describe('What to enter').optional(),
  default: text
    .describe('The value if none is given; without it, the input is required')
    .optional(),
  choices: z.array(z.string()).min(1).describe('The values to choose from').optional(),
  multiline: z.boolean().describe('Whether the page shows a text area').optional(),
});

export const chainSchema = z
  .strictObject({
    description: text.describe('What the chain does').optional(),
    backend: someText.describe('Backend of all steps that do not set one').optional(),
    model: someText.describe('Model of all steps that do not set one').optional(),
    inputs: z
      .record(z.string().regex(ID), z.union([z.string(), inputSchema]))
      .describe('Values that the user gives at the start; a string is the default value')
      .optional(),
    prompt: text.describe('Prompt of the steps that have none; a template').optional(),
    promptFile: filePath('a file with the prompt of the steps that have none').optional(),
    timeoutMs: timeoutMs.optional(),
    budgetUsd: budgetUsd.optional(),
    workspace: workspace.optional(),
    steps: steps('The steps, in order'),
  })
  .meta({ id: 'chain', description: 'Agents that work one after the other' });
export type WorkspaceSource = z.infer<typeof workspace>;
export type ChainSource = z.infer<typeof chainSchema>;

export const chainsFileSchema = z.strictObject({
  $schema: text.describe('The path or address of this schema').optional(),
  agents: z.record(z.string().regex(NAME), agentSchema).describe('The agents, by name').optional(),
  chains: z.record(z.string().regex(NAME), chainSchema).describe('The chains, by name'),
});
export type ChainsFileSource = z.infer<typeof chainsFileSchema>;

/** The JSON Schema of a chains file, for editors. */
export function chainsJsonSchema(): Record<string, unknown> {
  const { $schema, ...rest } = z.toJSONSchema(chainsFileSchema, { io: 'input' });
  return { $schema, title: 'chains.json', description: 'Chains of agents for Baton', ...rest };
}
