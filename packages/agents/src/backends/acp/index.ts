import { programWords } from '@baton/config/values/command-words';
import type { BackendEntry } from '@baton/engine/definition/backend-entry';
import { BatonError } from '@baton/protocol/values';
import { acpCapabilities } from '../../dialects/acp/capabilities.ts';
import {
  actsUnasked,
  KNOWN_ACP_SETTINGS,
  KNOWN_AGENTS,
  type KnownAgent,
} from '../../dialects/acp/known-agents.ts';

const PREFIX = 'acp:';

/** The backend of `--acp-command`. */
export const COMMAND_BACKEND = 'acp:command';

/** The names of the agents that need no configuration. */
export const KNOWN_ACP_NAMES: readonly string[] = KNOWN_AGENTS.map(({ name }) => PREFIX + name);

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
  const label = id === COMMAND_BACKEND ? command : name;
  // Nobody says what it reads: it may be a known agent under another name, or behind another program.
  const alsoLoads = [
    ...new Set(namedIn([command, ...args]).flatMap((each) => each.alsoLoads ?? [])),
  ];
  return acpEntry({ name, label, command, args, install, settings: KNOWN_ACP_SETTINGS, alsoLoads });
}

/** The known agents that a command line mentions, as in `npx @qwen-code/qwen-code --acp`. */
function namedIn(words: readonly string[]): KnownAgent[] {
  return KNOWN_AGENTS.filter(({ command }) =>
    words.some((word) =>
      word
        .toLowerCase()
        .split(/[^a-z]+/)
        .includes(command),
    ),
  );
}

function acpEntry(agent: KnownAgent): BackendEntry {
  const { name, label, command, args, install, settings = [], alsoLoads, traits } = agent;
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
      return acpAdapter({ label, args, alsoLoads, traits });
    },
  };
}
