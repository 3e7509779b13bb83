import type { Baton } from '@baton/agents/registry/baton';
import { probeOfBroken } from '@baton/agents/registry/broken-probe';
import { loadSettings, type Settings } from '@baton/config/settings';
import type { BackendEntry } from '@baton/engine/definition/backend-entry';
import {
  BatonError,
  type Capabilities,
  type ErrorInfo,
  type FolderTrust,
  type Probe,
} from '@baton/protocol/values';
import { explained } from './explain-error.ts';

/** Returns the start of a command that runs an agent, with a model if the agent needs one. */
export function runCommand(baton: Baton, name: string): string {
  const { modelPlaceholder } = baton.backend(name);
  return `baton run --backend ${name}${modelPlaceholder ? ` --model ${modelPlaceholder}` : ''}`;
}

export type Listed = {
  id: string;
  label: string;
  aliases: readonly string[];
  probe: Probe;
  capabilities: Capabilities;
  testedVersions: BackendEntry['testedVersions'];
  /** Trust in the settings of the current folder. */
  trust: FolderTrust;
  /** True if the path of its program is configured. */
  isGiven: boolean;
  /** True if Baton only connects to it, so that there is no program to install. */
  isElsewhere: boolean;
};

type Listing = {
  listed: Listed[];
  settings: Settings;
  /** Problems of the settings; invalid settings are ignored. */
  problems: ErrorInfo[];
};

/** Probes every backend on this machine; invalid settings are reported, and ignored. */
export async function listBackends(baton: Baton): Promise<Listing> {
  const problems: ErrorInfo[] = [];
  const settings = loadSettings({
    program: 'baton',
    onProblem: (problem) => problems.push(problem.toJSON()),
  });
  const configured = baton.withSettings(settings);
  const listed = await Promise.all(
    baton.backends().map(async (entry) => {
      const { id, label, aliases = [], testedVersions } = entry;
      const backend = await configured.load(entry).catch(brokenBy);
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
            probe.problems.map((problem) => explained(problem, { baton, backend, settings })),
          ),
        },
        capabilities: backend.capabilities,
        testedVersions,
        trust: backend.trustOf(),
        isGiven: configured.givenBinary(id) !== undefined,
        isElsewhere: entry.binary === undefined,
      };
    }),
  );
  return { listed, settings, problems: [...problems, ...baton.problems] };
}

/** Describes how the program of an agent was found. */
export function foundWords({ foundBy }: Probe): string | undefined {
  return foundBy === undefined ? undefined : `(found by ${foundBy})`;
}

/** Returns the install instructions of an agent: a command, or a sentence. */
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
