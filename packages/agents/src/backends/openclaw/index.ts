import type { BackendEntry } from '@baton/engine/definition/backend-entry';
import { capabilities, emulated, mapped, unsupported } from '@baton/engine/kit/capabilities';

const byGateway = (what: string) =>
  unsupported(`The configuration of the OpenClaw gateway decides about ${what}.`);

const openClawCapabilities = capabilities({
  agent: 'OpenClaw',
  features: [
    'streaming',
    'resume',
    'conversation',
    'systemPrompt',
    'maxTurns',
    'structuredOutput',
    'images',
    'usage',
    'cost',
  ],
  options: {
    cwd: mapped('only reported: tools work in the workspace of the gateway'),
    env: mapped('the OPENCLAW_ variables; tools have the environment of the gateway'),
    systemPrompt: mapped('extraSystemPrompt of each prompt'),
    model: byGateway('the model'),
    maxTurns: emulated('Baton counts turns and aborts the run'),
    'tools.allowed': byGateway('tools'),
    'tools.disallowed': byGateway('tools'),
    mcpConfig: byGateway('MCP servers'),
    rawArgs: unsupported('Baton starts no process.'),
    permissionMode: mapped(
      'allow-all: the gateway decides what needs approval; a run that needs it fails with approval_required',
    ),
    resume: mapped('the session of this key'),
    sessionId: unsupported('Use the provider option sessionKey.'),
    providerOptions: mapped('sessionKey: the session to continue, or to create'),
    outputSchema: emulated('Baton asks for JSON and validates it'),
    budgetUsd: unsupported('OpenClaw reports the cost only when a run has ended.'),
    images: mapped('attachments of the prompt'),
  },
  permissionModes: ['allow-all'],
  transports: ['live'],
  // Its processes belong to the gateway, which confirms the abort.
  stop: 'best-effort',
});

/** Registry entry of OpenClaw, available before its adapter is loaded. Keep the imports of this file cheap. */
export const openClawEntry: BackendEntry = {
  specVersion: 1,
  id: 'openclaw',
  label: 'OpenClaw',
  capabilities: openClawCapabilities,
  testedVersions: { oldest: '2026.9.6', newest: '2026.9.6' },
  install: 'npm install -g openclaw',
  settingsPaths: [],
  settingVariables: {
    openclawUrl: 'OPENCLAW_GATEWAY_URL',
    openclawToken: 'OPENCLAW_GATEWAY_TOKEN',
    openclawPassword: 'OPENCLAW_GATEWAY_PASSWORD',
    openclawAgentId: 'OPENCLAW_AGENT_ID',
  },
  keyVariables: async () => (await import('./gateway-access.ts')).SECRET_VARIABLES,
  load: async () => (await import('./backend.ts')).openClawAdapter,
};
