import { BatonError, type Capabilities } from '@baton/protocol';
import { BACKEND_ALIASES, canonicalName, similarNames } from './aliases.ts';
import type { Backend, BackendSettings } from './backend.ts';
import { BUILT_IN } from './backends/index.ts';
import type { DialectEntry } from './dialect.ts';
import { protectPaths } from './paths/protected-paths.ts';
import type { SettingName } from './settings/index.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** A backend that can be loaded when it is needed. */
export type BackendEntry = {
  id: string;
  label: string;
  /** What it can do, for those who look for a backend with an option. */
  capabilities?: Capabilities;
  /** The releases of the agent that Baton is tested with; others may work, and `doctor` says so. */
  testedVersions?: { oldest: string; newest: string };
  /** The setting that says where the agent's program is. */
  binarySetting?: Extract<SettingName, `${string}Binary`>;
  /** Where a folder has settings for the agent; no agent may edit them unasked, also not another one. */
  settingsPaths: readonly string[];
  /** The variables that hold the secrets of its provider: no other agent needs them. */
  keyVariables?(env: Environment): Promise<readonly string[]>;
  /** The files and folders in which the agent keeps what it knows: it must be able to write them, and nobody else. */
  ownPaths?(env: Environment): Promise<readonly string[]>;
  load(): Promise<{
    create(settings?: BackendSettings): Backend;
    dialects: readonly DialectEntry[];
  }>;
};

const entries = new Map<string, BackendEntry>();

/** Adds a backend under its own name; the built-in ones are there already. */
export function registerBackend(entry: BackendEntry): void {
  const name = canonicalName(entry.id);
  if (name !== entry.id) {
    throw new BatonError('usage', `A backend cannot be named "${entry.id}": that means "${name}".`);
  }
  if (entries.has(entry.id)) {
    throw new BatonError('usage', `A backend named "${entry.id}" is registered already.`);
  }
  entries.set(entry.id, entry);
  protectPaths(entry.settingsPaths);
}

/** All backends that Baton has, installed or not. */
export function backendEntries(): BackendEntry[] {
  return [...entries.values()];
}

/** Finds a backend by its name or one of its aliases. */
export function backendEntry(name: string): BackendEntry {
  const id = canonicalName(name);
  const entry = entries.get(id);
  if (entry) return entry;
  if (Object.hasOwn(BACKEND_ALIASES, id)) {
    throw new BatonError('backend_unknown', `This version of Baton has no backend "${id}" yet.`, {
      hint: `It has: ${[...entries.keys()].join(', ')}.`,
    });
  }
  const guesses = similarNames(name);
  throw new BatonError('backend_unknown', `There is no backend "${name}".`, {
    hint:
      guesses.length > 0
        ? `Did you mean ${guesses.join(' or ')}?`
        : `Baton has: ${[...entries.keys()].join(', ')}.`,
  });
}

/** Loads a backend by its name or one of its aliases. */
export async function loadBackend(name: string, settings?: BackendSettings): Promise<Backend> {
  const { create } = await backendEntry(name).load();
  return create(settings);
}

for (const entry of BUILT_IN) registerBackend(entry);
