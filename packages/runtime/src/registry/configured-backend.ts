import { BatonError, type Probe } from '@baton/protocol/values';
import { COMMAND_BACKEND, givenAcpEntry } from '../backends/acp/index.ts';
import { ownEntry } from '../backends/own/index.ts';
import type { Backend, BackendSettings } from '../definition/backend.ts';
import type { BackendEntry } from '../definition/backend-entry.ts';
import type { SettingName, Settings } from '../settings/index.ts';
import { type OwnAgent, ownAgentValues, readOwnAgent } from '../settings/own-agents.ts';
import {
  backendEntry,
  canonicalName,
  findBackend,
  loadBackend,
  noteProblem,
  registerBackend,
} from './registry.ts';

/** Loads a backend and applies the settings of the machine. */
export async function configuredBackend(name: string, settings: Settings): Promise<Backend> {
  const command = settings.get('acpCommand');
  if (canonicalName(name) === COMMAND_BACKEND && command && !findBackend(COMMAND_BACKEND)) {
    registerBackend(givenAcpEntry(COMMAND_BACKEND.slice('acp:'.length), command));
  }
  return loadBackend(name, backendSettings(name, settings));
}

/**
 * Registers the backends in the user's settings, once at program start. A broken one does not affect others:
 * `backendProblems()` lists its error, and a run with its name fails with it.
 */
export async function registerConfigured(settings: Settings): Promise<void> {
  registerAcpAgents(settings);
  registerOwnAgents(settings);
  const others = ['backendModules', 'binaries', 'commands'] as const;
  if (!others.some((name) => settings.get(name))) return;
  const { registerBackendModules } = await import('./backend-modules.ts');
  await registerBackendModules(settings);
}

/** A backend for an agent that is described here and not in the user's settings; it is not registered. */
export async function describedBackend(agent: OwnAgent): Promise<Backend> {
  const entry = ownEntry(agent);
  const [{ defineBackend }, adapter] = await Promise.all([
    import('../run/define-backend.ts'),
    entry.load(),
  ]);
  return defineBackend({ ...entry, ...adapter })();
}

/** The agents that the user configured with a command. */
function registerAcpAgents(settings: Settings): void {
  for (const [name, command] of Object.entries(settings.get('acpAgents') ?? {})) {
    noteErrors(`acp:${name}`, () => registerBackend(givenAcpEntry(name, command)));
  }
}

/** The agents that the user described. */
function registerOwnAgents(settings: Settings): void {
  const origin = settings.origin('agents');
  noteErrors(undefined, () => {
    for (const [name, value] of ownAgentValues(settings.get('agents'), origin)) {
      noteErrors(name, () => registerOwn(ownEntry(readOwnAgent(name, value, origin)), origin));
    }
  });
}

function registerOwn(entry: BackendEntry, origin: string): void {
  try {
    registerBackend(entry);
  } catch (error) {
    if (!BatonError.is(error)) throw error;
    const message = `agents.${entry.id} (${origin}): ${error.message}`;
    throw new BatonError('config_invalid', message, { hint: 'Choose another name.' });
  }
}

function noteErrors(backend: string | undefined, act: () => void): void {
  try {
    act();
  } catch (error) {
    if (!BatonError.is(error)) throw error;
    noteProblem(error.toJSON(), backend);
  }
}

/** The error of a backend that cannot be loaded, in the form of a probe. */
export function probeOfBroken({ id, install }: BackendEntry, problem: BatonError): Probe {
  return {
    backend: id,
    installed: false,
    credentials: 'unknown',
    problems: [problem.toJSON()],
    install,
  };
}

/** The configured program or command of a backend, and the setting or variable that has it. */
export function givenBinary(
  name: string,
  settings: Settings,
): { path: string; origin: string; setting: 'binaries' | 'commands' | 'variable' } | undefined {
  const { id, binary } = backendEntry(name);
  const command = ofBackend(settings.get('commands'), id);
  if (command) return { path: command, origin: settings.origin('commands'), setting: 'commands' };
  const variable = binary && 'envVar' in binary ? binary.envVar : undefined;
  const path = variable && process.env[variable];
  if (path) return { path, origin: variable, setting: 'variable' };
  const given = ofBackend(settings.get('binaries'), id);
  return given
    ? { path: given, origin: settings.origin('binaries'), setting: 'binaries' }
    : undefined;
}

/** The value for a backend in a setting that has one for each; any name of the backend will do. */
function ofBackend(
  values: Readonly<Record<string, string>> | undefined,
  id: string,
): string | undefined {
  return Object.entries(values ?? {}).find(([each]) => canonicalName(each) === id)?.[1];
}

function backendSettings(name: string, settings: Settings): BackendSettings {
  const given = givenBinary(name, settings);
  return {
    // The backend reads its variable itself and names it in errors.
    ...(given?.setting === 'binaries' ? { binary: given.path } : {}),
    ...(given?.setting === 'commands' ? { command: given.path } : {}),
    trust: {
      trusted: settings.get('trustedFolders') ?? [],
      untrusted: settings.get('untrustedFolders') ?? [],
    },
    env: variablesFor(name, settings),
    protectedPaths: settings.get('protectedPaths') ?? [],
    acceptsClaim: (settings.get('claimedPermissions') ?? []).some(
      (each) => canonicalName(each) === canonicalName(name),
    ),
  };
}

/** The settings that a backend reads as variables. */
function variablesFor(name: string, settings: Settings): Record<string, string> {
  const { settingVariables = {} } = backendEntry(name);
  const values = Object.entries(settingVariables).flatMap(([setting, variable]) => {
    const value = settings.get(setting as SettingName);
    // The agent has the same default, and a run may set another of its variables.
    const isGiven =
      typeof value === 'string' && settings.origin(setting as SettingName) !== 'default';
    return isGiven ? [[variable, value] as const] : [];
  });
  return Object.fromEntries(values);
}
