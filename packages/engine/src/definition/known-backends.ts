import type { BackendEntry } from './backend-entry.ts';

/** The backends of one registry, as a run of one of them sees the others. */
export type KnownBackends = {
  /** The listed backends: runs suggest them, and withhold the keys of their providers from other agents. */
  entries(): readonly BackendEntry[];
  /** Settings paths of all agents, including those in no list; no agent edits them without asking. */
  settingsPaths(): readonly string[];
};
