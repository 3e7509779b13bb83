import { BatonError, type ErrorInfo } from '@baton/protocol/values';
import { KNOWN_ACP_NAMES, knownAcpEntry } from '../backends/acp/index.ts';
import { BUILT_IN } from '../backends/index.ts';
import type { Backend, BackendSettings } from '../definition/backend.ts';
import { type BackendEntry, SPEC_VERSION } from '../definition/backend-entry.ts';
import type { OptionsOf } from '../options/backend-options.ts';
import { protectPaths } from '../paths/protected-paths.ts';
import { noteKeyVariables } from '../run/withheld-variables.ts';
import { similarNames } from '../values/similar-names.ts';

/** The default backend. */
export const DEFAULT_BACKEND = 'claude-cli';

const NAME = /^(?:acp:)?[a-z0-9][a-z0-9._-]*$/;

const entries = new Map<string, BackendEntry>();
/** The id of a backend by each of its names. */
const ids = new Map<string, string>();

const problems: ErrorInfo[] = [];
/** Load errors by backend name. */
const broken = new Map<string, ErrorInfo>();

/** Adds a backend under its own name and its aliases; the built-in ones are there already. */
export function registerBackend(entry: BackendEntry): void {
  checkEntry(entry, ids);
  entries.set(entry.id, entry);
  for (const name of namesOf(entry)) ids.set(name, entry.id);
  protectPaths(entry.settingsPaths);
  noteKeyVariables(entry);
}

/** Refuses a backend for another version of the interface, or with a name that a built-in one has. */
export function checkForeign(entry: BackendEntry): void {
  const builtIn = BUILT_IN.flatMap((each) => namesOf(each).map((name) => [name, each.id] as const));
  checkEntry(entry, new Map(builtIn));
}

function namesOf({ id, aliases = [] }: BackendEntry): string[] {
  return [id, ...aliases];
}

function checkEntry(entry: BackendEntry, taken: ReadonlyMap<string, string>): void {
  if (entry.specVersion !== SPEC_VERSION) {
    throw new BatonError(
      'usage',
      `The backend "${entry.id}" requires version ${entry.specVersion} of the backend interface; this Baton has version ${SPEC_VERSION}.`,
      { hint: 'Install compatible releases of the backend and Baton.' },
    );
  }
  for (const name of namesOf(entry)) {
    if (!NAME.test(name)) {
      throw new BatonError('usage', `Invalid backend name "${name}".`, {
        hint: 'Use lowercase letters, digits, dots, hyphens and underscores.',
      });
    }
    const owner = taken.get(name);
    if (owner === undefined) continue;
    throw new BatonError(
      'usage',
      owner === entry.id && name === entry.id
        ? `A backend named "${entry.id}" is already registered.`
        : `The backend "${entry.id}" cannot use the name "${name}": it belongs to "${owner}".`,
    );
  }
}

/** The canonical name of a backend; an unknown name is only trimmed and lowercased. */
export function canonicalName(name: string): string {
  const plain = plainName(name);
  return ids.get(plain) ?? plain;
}

function plainName(name: string): string {
  return name.trim().toLowerCase();
}

/** All backends that Baton has, installed or not. */
export function backendEntries(): BackendEntry[] {
  return [...entries.values()];
}

/** The backend with this id, if there is one; also an agent of the protocol that is in no list. */
export function findBackend(id: string): BackendEntry | undefined {
  return entries.get(id) ?? knownAcpEntry(id);
}

/** Finds a backend by its name or one of its aliases. */
export function backendEntry(name: string): BackendEntry {
  const entry = findBackend(canonicalName(name));
  if (entry) return entry;
  checkConfigured(name);
  const guesses = similarNames(name, [...ids.keys(), ...KNOWN_ACP_NAMES]);
  // A module that could not be loaded may have had the name.
  const module = problems.find((problem) => ![...broken.values()].includes(problem));
  if (module && guesses.length === 0) {
    throw new BatonError('backend_unknown', `Unknown backend "${name}". ${module.message}`, {
      hint: module.hint,
    });
  }
  if (guesses.length === 0 && plainName(name).startsWith('acp:')) {
    throw new BatonError('backend_unknown', `Unknown agent "${name}".`, {
      hint: `Known agents are ${KNOWN_ACP_NAMES.slice(0, 3).join(', ')} and others (docs/acp.md). Add one with its command to acpAgents in ~/.baton/config.json, or pass --acp-command.`,
    });
  }
  throw new BatonError('backend_unknown', `Unknown backend "${name}".`, {
    hint:
      guesses.length > 0
        ? `Did you mean ${guesses.join(' or ')}?`
        : `Backends: ${[...entries.keys()].join(', ')}.`,
  });
}

/** Throws if the user's settings have a backend of this very name that cannot be used, such as because the name is taken. */
export function checkConfigured(name: string): void {
  const wrong = broken.get(plainName(name));
  if (wrong) throw new BatonError('config_invalid', wrong.message, { hint: wrong.hint });
}

/** Records a problem with a backend that the user's settings name, for `backendProblems` and for runs with its name. */
export function noteProblem(problem: ErrorInfo, backend?: string): void {
  problems.push(problem);
  if (backend !== undefined) broken.set(plainName(backend), problem);
}

/** Returns the problems with the backends that the user's settings name. */
export function backendProblems(): readonly ErrorInfo[] {
  return problems;
}

/** Loads a backend by its name or one of its aliases. */
export async function loadBackend<Name extends string>(
  name: Name,
  settings?: BackendSettings,
): Promise<Backend<OptionsOf<Name>>> {
  const entry = backendEntry(name);
  const [{ defineBackend }, adapter] = await Promise.all([
    import('../run/define-backend.ts'),
    entry.load(),
  ]);
  return defineBackend({ ...entry, ...adapter })(settings) as Backend<OptionsOf<Name>>;
}

for (const entry of BUILT_IN) registerBackend(entry);
for (const name of KNOWN_ACP_NAMES) protectPaths(knownAcpEntry(name)?.settingsPaths ?? []);
