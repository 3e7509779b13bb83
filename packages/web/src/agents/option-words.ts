/** What people call an option, and what it does for them. */
export type OptionWords = {
  title: string;
  about?: string;
  /** So many of what the agent takes are one of the unit that the title names. */
  scale?: number;
};

const SECONDS = 1000;

/** The options in the order in which people look for them; what is not here concerns single runs. */
export const OPTION_WORDS: Readonly<Record<string, OptionWords>> = {
  model: { title: 'Model', about: 'Without one it takes the default of its own.' },
  permissionMode: { title: 'Permission mode', about: 'What it may do without asking.' },
  maxTurns: { title: 'Most turns', about: 'After so many steps for a prompt it has to stop.' },
  budgetUsd: {
    title: 'Budget in dollars',
    about: 'It is stopped when its conversation has cost so much.',
  },
  transport: {
    title: 'Way to talk to it',
    about: 'Only "live" lets you steer it and answer it while it works.',
  },
  outputSchemaRetry: { title: 'Ask again when the output does not fit' },
  systemPrompt: { title: 'System prompt', about: 'Instructions on top of its own.' },
  env: {
    title: 'Environment variables',
    about: 'For its process. No secrets: everybody here can read them.',
  },
  rawArgs: { title: 'More arguments', about: 'Put on its command line as they are.' },
  settings: { title: "Settings of the agent's own" },
  mcpConfig: { title: 'MCP servers', about: 'Tools beside those that it has anyway.' },
  outputSchema: {
    title: 'Schema of the output',
    about: 'A JSON Schema that its last answer has to fit.',
  },
  tools: { title: 'Tools' },
  timeouts: { title: 'Time limits' },
  retry: { title: 'Tries when it fails in passing' },
  providerOptions: { title: 'Only of this agent' },
};

/** The same for the parts of those that have several. */
export const PART_WORDS: Readonly<Record<string, OptionWords>> = {
  'tools.allowed': { title: 'Allowed' },
  'tools.disallowed': { title: 'Not allowed' },
  'timeouts.startMs': { title: 'Until it starts, in seconds', scale: SECONDS },
  'timeouts.idleMs': { title: 'Without a sign of life, in seconds', scale: SECONDS },
  'timeouts.totalMs': { title: 'In all, in seconds', scale: SECONDS },
  'timeouts.consumerMs': {
    title: 'Until its events are read, in seconds',
    about: 'For programs that read them one by one.',
    scale: SECONDS,
  },
  'retry.attempts': { title: 'How often' },
  'retry.baseMs': {
    title: 'First pause, in seconds',
    about: 'Each one after it is longer.',
    scale: SECONDS,
  },
  'providerOptions.pace': { title: 'Milliseconds between two words' },
  'providerOptions.addDirs': { title: 'More folders', about: 'That it may work in too.' },
  'providerOptions.agents': { title: 'Sub-agents', about: 'One for each name.' },
  'providerOptions.effort': { title: 'Effort', about: 'How hard it thinks, such as low or high.' },
  'providerOptions.fallbackModel': { title: 'Model when the other has too much to do' },
  'providerOptions.plan': { title: 'Only plan', about: 'Then it changes nothing.' },
  'providerOptions.outputFormat': {
    title: 'Form of its output',
    about: 'Where the way to talk to it is "print".',
  },
  'providerOptions.prices': {
    title: 'Prices',
    about:
      'In dollars for a million tokens; cost and budget need them. Such as {"inputPerMillion": 1, "cachedInputPerMillion": 0.1, "outputPerMillion": 8}.',
  },
};
