import type { BackendEntry } from '@baton/engine/definition/backend-entry';
import { capabilities, emulated, mapped } from '@baton/engine/kit/capabilities';

const piCapabilities = capabilities({
  agent: 'Pi',
  features: [
    'streaming',
    'thinking',
    'permissions',
    'steer',
    'resume',
    'fork',
    'conversation',
    'systemPrompt',
    'maxTurns',
    'toolFilters',
    'structuredOutput',
    'images',
    'usage',
    'cost',
    'diffs',
  ],
  options: {
    systemPrompt: mapped("appended to Pi's own"),
    model: mapped('required: provider/model, from models.json or built in'),
    maxTurns: mapped('the library is stopped before it asks the model again'),
    'tools.allowed': mapped(
      'turns these tools on: read, bash, edit, write, grep, find, ls; they still ask',
    ),
    'tools.disallowed': mapped('turns these tools off'),
    providerOptions: mapped(
      'tools (true): turns on read, bash, edit and write; without it and tools.allowed Pi has no tools. thinking (off, minimal, low, medium, high, xhigh): off by default',
    ),
    permissionMode: mapped(
      'Pi itself never asks. In ask and auto, Baton holds each call of a tool until it is answered, except those that only read: read, grep, find, ls. Extensions, skills and settings of the folder and extensions of the user are never loaded',
    ),
    resume: mapped("the session of its id, in the folder of Pi's sessions"),
    fork: mapped('a copy of the session'),
    sessionId: mapped('the id of the new session'),
    outputSchema: emulated('Baton asks for JSON and validates it'),
    budgetUsd: emulated('Baton adds up the cost of the conversation'),
    images: mapped('images of the prompt, for models that take them'),
  },
  permissionModes: ['ask', 'auto', 'allow-all'],
  transports: ['live'],
  stop: 'verified',
});

/** Registry entry of Pi, available before its adapter is loaded. Keep the imports of this file cheap. */
export const piEntry: BackendEntry = {
  specVersion: 1,
  id: 'pi',
  label: 'Pi',
  capabilities: piCapabilities,
  testedVersions: { oldest: '0.73.1', newest: '0.87.1' },
  install: 'baton backends install pi',
  npmPackage: '@mariozechner/pi-coding-agent',
  binary: {
    library: {
      id: 'pi',
      packages: ['@earendil-works/pi-coding-agent', '@mariozechner/pi-coding-agent'],
      envVar: 'BATON_PI_LIBRARY',
    },
  },
  settingsPaths: ['.pi'],
  modelPlaceholder: 'PROVIDER/MODEL',
  settingVariables: { piAgentDir: 'FLUX_PI_AGENT_DIR' },
  keyVariables: async (env) => (await import('./pi-home.ts')).piKeyVariables(env),
  ownPaths: async (env) => [(await import('./pi-home.ts')).piAgentDir(env)],
  load: async () => (await import('./backend.ts')).piAdapter,
};
