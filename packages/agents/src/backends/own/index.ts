import type { OwnAgent } from '@baton/config/settings/own-agents';
import type { BackendEntry } from '@baton/engine/definition/backend-entry';
import {
  type CapabilityList,
  capabilities,
  emulated,
  mapped,
} from '@baton/engine/kit/capabilities';
import type { Capabilities, Feature } from '@baton/protocol/values';
import { acpCapabilities } from '../../dialects/acp/capabilities.ts';

/**
 * The entry of an agent that its user described in the configuration. Without settings of its own, it may be any agent,
 * and has those of all.
 */
export function ownEntry(agent: OwnAgent, ofAllAgents: readonly string[] = []): BackendEntry {
  const { name, label, command, settingsPaths, keyVariables, install } = agent;
  const [program = ''] = command;
  return {
    specVersion: 1,
    id: name,
    label,
    capabilities: agent.dialect === 'acp' ? acpFeatures(agent) : printedFeatures(agent),
    install: install ?? `Install ${program}, or fix the command of agents.${name}.`,
    binary: {
      ...(program.includes('/')
        ? { name, explicit: program, explicitFrom: `agents.${name}` }
        : { name: program }),
      hasOtherVersion: true,
    },
    settingsPaths: settingsPaths ?? ofAllAgents,
    // An agent whose keys are not named may use those of any provider.
    ...(keyVariables.length > 0 ? { keyVariables: async () => keyVariables } : {}),
    load: async () => (await import('./backend.ts')).ownAdapter(agent),
  };
}

/** Features that Baton itself provides for agents of the protocol, whatever they support. */
const EMULATED: ReadonlySet<Feature> = new Set([
  'conversation',
  'systemPrompt',
  'structuredOutput',
]);

/** The protocol carries permissions, but it is unverified that the agent asks. */
function acpFeatures({ label, capabilities: claimed }: OwnAgent): Capabilities {
  const all = acpCapabilities(label);
  if (!claimed) return all;
  const has = (feature: Feature) => claimed.includes(feature) || EMULATED.has(feature);
  const kept = (Object.keys(all.features) as Feature[]).filter(
    (each) => all.features[each] && has(each),
  );
  const { mcpConfig, resume, fork, images, ...options } = all.options;
  const asks = has('permissions');
  return capabilities({
    agent: label,
    features: kept,
    options: {
      ...options,
      ...(has('mcp') ? { mcpConfig } : {}),
      ...(has('resume') ? { resume } : {}),
      ...(has('fork') ? { fork } : {}),
      ...(has('images') ? { images } : {}),
    },
    permissionModes: asks ? all.permissionModes : ['allow-all'],
    permissions: asks ? 'claimed' : 'none',
    transports: all.transports,
    stop: all.stop,
  });
}

/** One process per prompt, without communication while it works: it never asks. */
function printedFeatures(agent: OwnAgent): Capabilities {
  const { label, dialect, capabilities: claimed = [], model, resume } = agent;
  // Plain text does not show where a turn begins.
  const hasTurns = dialect !== 'plain';
  const options: CapabilityList['options'] = {
    systemPrompt: emulated('prepended to the first prompt'),
    outputSchema: emulated('Baton asks for JSON and validates it'),
    rawArgs: mapped('added to the command line'),
    permissionMode: mapped('the agent cannot ask: it does what its command line lets it do'),
    ...(hasTurns ? { maxTurns: emulated('Baton counts turns and interrupts') } : {}),
    ...(claimed.includes('cost') ? { budgetUsd: emulated('Baton adds up the cost') } : {}),
    ...(model ? { model: mapped(model.join(' ')) } : {}),
    ...(resume ? { resume: mapped(resume.join(' ')) } : {}),
  };
  return capabilities({
    agent: label,
    features: [
      ...claimed,
      ...(resume ? (['resume', 'conversation'] as const) : []),
      ...(hasTurns ? (['maxTurns'] as const) : []),
      'systemPrompt',
      'structuredOutput',
    ],
    options,
    permissionModes: ['allow-all'],
    transports: ['print'],
    stop: 'verified',
  });
}
