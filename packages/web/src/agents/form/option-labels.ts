/** Label and description of an option. */
type OptionLabel = {
  title: string;
  about?: string;
  /** The factor between the unit in the title and the unit of the agent. */
  scale?: number;
};

const SECONDS = 1000;

/** The options in the order of the form; options that are missing here only make sense for single runs. */
export const OPTION_WORDS: Readonly<Record<string, OptionLabel>> = {
  model: { title: 'Model', about: 'Leave empty for the agent’s default.' },
  permissionMode: { title: 'Permission mode', about: 'What the agent may do without asking.' },
  maxTurns: { title: 'Max turns', about: 'Stops after this many turns per prompt.' },
  budgetUsd: {
    title: 'Budget (USD)',
    about: 'Stops when the conversation reaches this cost.',
  },
  transport: {
    title: 'Transport',
    about: 'Only "live" supports steering and answering requests during a turn.',
  },
  outputSchemaRetry: { title: 'Retry on schema mismatch' },
  systemPrompt: { title: 'System prompt', about: 'Appended to the agent’s own system prompt.' },
  env: {
    title: 'Environment variables',
    about: 'Set for the agent process. Not for secrets: every user can read them.',
  },
  rawArgs: { title: 'Extra arguments', about: 'Appended to the command line unchanged.' },
  settings: { title: 'Agent settings' },
  mcpConfig: { title: 'MCP servers', about: 'In addition to its built-in tools.' },
  outputSchema: {
    title: 'Output schema',
    about: 'JSON Schema the final answer must match.',
  },
  tools: { title: 'Tools' },
  timeouts: { title: 'Time limits' },
  retry: { title: 'Retries on transient errors' },
  providerOptions: { title: 'Agent-specific' },
};

/** Labels for the parts of options that have several. */
export const PART_WORDS: Readonly<Record<string, OptionLabel>> = {
  'tools.allowed': { title: 'Allowed' },
  'tools.disallowed': { title: 'Not allowed' },
  'timeouts.startMs': { title: 'Startup timeout (s)', scale: SECONDS },
  'timeouts.idleMs': { title: 'Idle timeout (s)', scale: SECONDS },
  'timeouts.totalMs': { title: 'Total timeout (s)', scale: SECONDS },
  'timeouts.consumerMs': {
    title: 'Consumer timeout (s)',
    about: 'How long to wait for a consumer that stops reading events.',
    scale: SECONDS,
  },
  'retry.attempts': { title: 'Attempts' },
  'retry.baseMs': {
    title: 'Initial backoff (s)',
    about: 'Exponential backoff.',
    scale: SECONDS,
  },
  'providerOptions.pace': { title: 'Delay between words (ms)' },
  'providerOptions.addDirs': {
    title: 'Additional folders',
    about: 'Folders the agent may also work in.',
  },
  'providerOptions.agents': { title: 'Sub-agents', about: 'One entry per name.' },
  'providerOptions.effort': {
    title: 'Effort',
    about: 'Reasoning effort, for example low or high.',
  },
  'providerOptions.fallbackModel': { title: 'Fallback model (when overloaded)' },
  'providerOptions.plan': { title: 'Plan mode', about: 'Read-only: no changes are made.' },
  'providerOptions.outputFormat': {
    title: 'Output format',
    about: 'Applies to the "print" transport.',
  },
  'providerOptions.prices': {
    title: 'Prices',
    about:
      'In USD per million tokens, in place of the built-in list prices. Used if the agent reports no cost. For example {"inputPerMillion": 1, "cachedInputPerMillion": 0.1, "outputPerMillion": 8}.',
  },
};
