/** The names of the options that a backend maps, emulates or does not support. */
export const OPTION_NAMES = [
  'systemPrompt',
  'cwd',
  'env',
  'model',
  'maxTurns',
  'tools.allowed',
  'tools.disallowed',
  'settings',
  'mcpConfig',
  'providerOptions',
  'rawArgs',
  'permissionMode',
  'resume',
  'fork',
  'sessionId',
  'outputSchema',
  'timeouts',
  'budgetUsd',
  'images',
] as const;
export type OptionName = (typeof OPTION_NAMES)[number];
