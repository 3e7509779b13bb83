import type { Capabilities, ErrorInfo, FolderTrust, Probe } from '@baton/protocol';
import {
  BACKEND_ALIASES,
  type BackendEntry,
  backendEntries,
  configuredBackend,
  loadSettings,
  type Settings,
} from '@baton/runtime';
import { explained } from './explain-error.ts';

export type Listed = {
  id: string;
  label: string;
  aliases: readonly string[];
  probe: Probe;
  capabilities: Capabilities;
  testedVersions: BackendEntry['testedVersions'];
  /** Whether it may use the settings of the current folder. */
  trust: FolderTrust;
  /** Whether somebody said where its program is. */
  isGiven: boolean;
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
    backendEntries().map(async ({ id, label, binarySetting, testedVersions }) => {
      const backend = await configuredBackend(id, settings);
      const probe = await backend.probe();
      return {
        id,
        label,
        aliases: BACKEND_ALIASES[id] ?? [],
        probe: {
          ...probe,
          problems: await Promise.all(
            probe.problems.map((problem) => explained(problem, { backend, settings })),
          ),
        },
        capabilities: backend.capabilities,
        testedVersions,
        trust: backend.trustOf(),
        isGiven: binarySetting !== undefined && settings.get(binarySetting) !== undefined,
      };
    }),
  );
  return { listed, settings, problems };
}
