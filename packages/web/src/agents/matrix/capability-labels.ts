import type { Feature } from '@baton/protocol';

/** The labels of the capabilities. */
export const FEATURE_WORDS: Readonly<Record<Feature, string>> = {
  streaming: 'Streaming',
  thinking: 'Reasoning',
  permissions: 'Permissions',
  questions: 'Questions',
  steer: 'Steering',
  resume: 'Resume',
  fork: 'Fork',
  interactive: 'Interactive terminal',
  conversation: 'Persistent process',
  systemPrompt: 'System prompt',
  toolFilters: 'Tool filters',
  maxTurns: 'Max turns',
  structuredOutput: 'Structured output',
  mcp: 'MCP servers',
  images: 'Image input',
  usage: 'Token usage',
  cost: 'Cost reporting',
  plan: 'Plan',
  subagents: 'Sub-agents',
  diffs: 'Diffs',
};
