import type { RunOptions } from './run-request.ts';

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

/** The keys that the options of a run can have. */
export const RUN_OPTION_KEYS = [
  'systemPrompt',
  'cwd',
  'env',
  'model',
  'maxTurns',
  'tools',
  'settings',
  'mcpConfig',
  'mode',
  'providerOptions',
  'rawArgs',
  'permissionMode',
  'resume',
  'fork',
  'sessionId',
  'outputSchema',
  'outputSchemaRetry',
  'timeouts',
  'retry',
  'budgetUsd',
  'images',
  'transport',
] as const satisfies readonly (keyof RunOptions)[];
