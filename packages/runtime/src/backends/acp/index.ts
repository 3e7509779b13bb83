import { BatonError } from '@baton/protocol/values';
import type { BackendEntry } from '../../definition/backend-entry.ts';
import { acpCapabilities } from '../../dialects/acp/capabilities.ts';
import { programWords } from '../../values/command-words.ts';
import { actsUnasked, KNOWN_AGENTS, type KnownAgent } from './known-agents.ts';

const PREFIX = 'acp:';

/** The backend of `--acp-command`. */
export const COMMAND_BACKEND = 'acp:command';

/** The names of the agents that need no configuration. */
export const KNOWN_ACP_NAMES: readonly string[] = KNOWN_AGENTS.map(({ name }) => PREFIX + name);

/** Settings paths of these agents. */
export const KNOWN_ACP_SETTINGS: readonly string[] = KNOWN_AGENTS.flatMap(
  ({ settings = [] }) => settings,
);

const known = new Map(KNOWN_AGENTS.map((agent) => [PREFIX + agent.name, agent]));

/** The entry of an agent from the list of known ones. */
export function knownAcpEntry(id: string): BackendEntry | undefined {
  const agent = known.get(id);
  return agent && acpEntry(agent);
}

/** The entry of an agent that the user starts by a command. */
export function givenAcpEntry(name: string, line: string): BackendEntry {
  const [command = '', ...args] = programWords(line);
  if (command === '') {
    throw new BatonError('config_invalid', `The command of the agent "${name}" is empty.`);
  }
  const install = `Install ${command}, or fix the command of "${PREFIX + name}".`;
  const id = PREFIX + name;
  return acpEntry({ name, label: id === COMMAND_BACKEND ? command : name, command, args, install });
}

function acpEntry(agent: KnownAgent): BackendEntry {
  const { name, label, command, args, install, settings = [], traits } = agent;
  return {
    specVersion: 1,
    id: PREFIX + name,
    label,
    capabilities: acpCapabilities(label, { actsUnasked: actsUnasked(agent) }),
    install,
    binary: command.includes('/') ? { name, explicit: command } : { name: command },
    settingsPaths: settings,
    load: async () => {
      const { acpAdapter } = await import('../../dialects/acp/adapter.ts');
      return acpAdapter({ label, args, traits });
    },
  };
}
