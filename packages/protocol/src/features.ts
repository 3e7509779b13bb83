/** Features that a backend may support. */
export const FEATURES = [
  'streaming',
  'thinking',
  'permissions',
  'questions',
  'steer',
  'resume',
  'fork',
  'interactive',
  'conversation',
  'systemPrompt',
  'toolFilters',
  'maxTurns',
  'structuredOutput',
  'mcp',
  'images',
  'usage',
  'cost',
  'plan',
  'subagents',
  'diffs',
] as const;
export type Feature = (typeof FEATURES)[number];
