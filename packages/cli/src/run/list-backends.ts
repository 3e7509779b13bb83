import {
  BatonError,
  type Capabilities,
  type ErrorInfo,
  type FolderTrust,
  type Probe,
} from '@baton/protocol';
import {
  type BackendEntry,
  backendEntries,
  backendEntry,
  backendProblems,
  configuredBackend,
  givenBinary,
  loadSettings,
  probeOfBroken,
  type Settings,
} from '@baton/runtime/internal';
import { explained } from './explain-error.ts';

/** The start of a command that runs an agent, with a model where it needs one. */
export function runCommand(name: string): string {
  const { modelPlaceholder } = backendEntry(name);
  return `baton run --backend ${name}${modelPlaceholder ? ` --model ${modelPlaceholder}` : ''}`;
}

export type Listed = {
  id: string;
  label: string;
  aliases: readonly string[];
  probe: Probe;
  capabilities: Capabilities;
  testedVersions: BackendEntry['testedVersions'];
  /** Whether it may use the settings of the current folder. */
  trust: FolderTrust;
  /** Whether its program is configured. */
  isGiven: boolean;
  /** Whether Baton only connects to it, so that there is no program to install. */
  isElsewhere: boolean;
};

type Listing = {
  listed: Listed[];
  settings: Settings;
  /** What is wrong with the settings; those are passed over. */
  problems: ErrorInfo[];
};

/** Every backend with what was found out about it on this machine; broken settings are no reason to find out nothing. */
export async function listBackends(): Promise<Listing> {
  const problems: ErrorInfo[] = [];
  const settings = loadSettings({
    program: 'baton',
    onProblem: (problem) => problems.push(problem.toJSON()),
  });
  const listed = await Promise.all(
    backendEntries().map(async (entry) => {
      const { id, label, aliases = [], testedVersions } = entry;
      const backend = await configuredBackend(id, settings).catch(brokenBy);
      if (BatonError.is(backend)) {
        problems.push(backend.toJSON());
        return listedBroken(entry, backend);
      }
      const probe = await backend.probe();
      return {
        id,
        label,
        aliases,
        probe: {
          ...probe,
          problems: await Promise.all(
            probe.problems.map((problem) => explained(problem, { backend, settings })),
          ),
        },
        capabilities: backend.capabilities,
        testedVersions,
        trust: backend.trustOf(),
        isGiven: givenBinary(id, settings) !== undefined,
        isElsewhere: entry.binary === undefined,
      };
    }),
  );
  return { listed, settings, problems: [...problems, ...backendProblems()] };
}

/** How the program of an agent was found, in a few words. */
export function foundWords({ foundBy }: Probe): string | undefined {
  return foundBy === undefined ? undefined : `(found by ${foundBy})`;
}

/** How to install an agent: the command, or the sentence that says how. */
export function installWords({ install }: Probe): string {
  return install.endsWith('.') ? install : `install: ${install}`;
}

function brokenBy(error: unknown): BatonError {
  if (BatonError.is(error)) return error;
  throw error;
}

/** A backend whose code cannot be loaded is listed with the reason, and is no reason to list no other. */
function listedBroken(entry: BackendEntry, problem: BatonError): Listed {
  const { id, label, aliases = [], capabilities, testedVersions } = entry;
  return {
    id,
    label,
    aliases,
    probe: probeOfBroken(entry, problem),
    capabilities,
    testedVersions,
    trust: { folder: process.cwd(), trusted: false, settings: [] },
    isGiven: false,
    isElsewhere: entry.binary === undefined,
  };
}
