import type { Feature } from '@baton/protocol';

/** What each ability of an agent means to people. */
export const FEATURE_WORDS: Readonly<Record<Feature, string>> = {
  streaming: 'Speaks while it works',
  thinking: 'Shows its thinking',
  permissions: 'Asks for permission',
  questions: 'Asks questions',
  steer: 'Listens while it works',
  resume: 'Goes on with a session',
  fork: 'Goes on in a copy',
  interactive: 'Works in a terminal',
  conversation: 'Stays ready between prompts',
  systemPrompt: 'Takes a system prompt',
  toolFilters: 'Takes a choice of tools',
  maxTurns: 'Takes a limit of turns',
  structuredOutput: 'Gives output by a schema',
  mcp: 'Uses MCP servers',
  images: 'Looks at pictures',
  usage: 'Tells its tokens',
  cost: 'Tells its cost',
  plan: 'Shows its plan',
  subagents: 'Shows sub-agents',
  diffs: 'Shows what it changes',
};
