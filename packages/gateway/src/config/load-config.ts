import { join, resolve } from 'node:path';
import { BatonError, type PermissionMode } from '@baton/protocol';
import { type BackendName, resolveBackendName } from '@baton/runtime/contracts';
import {
  type ConfigFile,
  homeFolder,
  resolveSettings,
  type SettingName,
  type Settings,
} from '@baton/runtime/internal';
import type { AccessRules } from './access.ts';

export const HOOK_NAMES = ['startup', 'beforeRun', 'afterRun', 'shutdown'] as const;
export type HookName = (typeof HOOK_NAMES)[number];

export type GatewayConfig = {
  readonly agentBackend: BackendName;
  readonly backendCliPath: string;
  readonly backendModel?: string | undefined;
  readonly backendMaxTurns: number;
  readonly allowedTools: readonly string[];
  readonly queryTimeoutMs: number;
  /** Retries after a transient failure. */
  readonly retries: number;
  readonly workingDir: string;
  /** The folder with the Markdown files of the system prompt. */
  readonly configDir: string;
  readonly permissionMode: PermissionMode;
  readonly access: AccessRules;
  readonly hooks: Readonly<Partial<Record<HookName, string>>>;
};

export type LoadedConfig = { config: GatewayConfig; warnings: string[] };

/** The folders that relative paths and `~` refer to. */
export type ConfigPlace = { cwd: string; home: string };

/**
 * Builds the configuration from variables and the user's configuration file, without reading anything. A project's file
 * is not read: a user who can write to the workspace could let strangers in. Throws `config_invalid` where the gateway
 * must not start.
 */
export function loadConfig(
  env: Readonly<Record<string, string | undefined>>,
  file?: ConfigFile,
  { cwd, home }: ConfigPlace = { cwd: process.cwd(), home: homeFolder() },
): LoadedConfig {
  const settings = resolveSettings({ program: 'gateway', env }, { user: file });
  const agentBackend = backendNameIn(settings);
  const config: GatewayConfig = {
    agentBackend,
    backendCliPath: settings.get('gatewayCliPath') ?? agentBackend,
    backendModel: settings.get('model'),
    backendMaxTurns: required(settings, 'maxTurns'),
    allowedTools: required(settings, 'allowedTools'),
    queryTimeoutMs: required(settings, 'timeout'),
    retries: required(settings, 'retries'),
    workingDir: resolve(cwd, inHome(settings.get('gatewayWorkingDir') ?? '', home)),
    configDir: resolve(cwd, inHome(required(settings, 'gatewayConfigDir'), home)),
    permissionMode: required(settings, 'permissionMode'),
    access: {
      users: idsIn(settings, 'gatewayUsers'),
      guilds: idsIn(settings, 'gatewayGuilds'),
      channels: idsIn(settings, 'gatewayChannels'),
      directMessages: required(settings, 'gatewayDirectMessages'),
    },
    hooks: hooksIn(settings),
  };
  return { config, warnings: [...settings.warnings, ...accessWarnings(config, settings)] };
}

function backendNameIn(settings: Settings): BackendName {
  try {
    return resolveBackendName(settings.get('backend'));
  } catch (error) {
    if (!BatonError.is(error)) throw error;
    throw new BatonError('config_invalid', error.message, { hint: error.hint, cause: error });
  }
}

/** A setting that has a default for the gateway. */
function required<Name extends SettingName>(
  settings: Settings,
  name: Name,
): NonNullable<ReturnType<typeof settings.get<Name>>> {
  const value = settings.get(name);
  if (value === undefined || value === null) {
    throw new BatonError('internal', `The setting "${name}" has no default for the gateway.`);
  }
  return value;
}

function inHome(path: string, home: string): string {
  return path.startsWith('~/') ? join(home, path.slice(2)) : path;
}

function idsIn(
  settings: Settings,
  name: 'gatewayUsers' | 'gatewayGuilds' | 'gatewayChannels',
): readonly string[] {
  const ids = required(settings, name);
  const bare = ids.find((id) => !/^[a-z]+:\S+$/.test(id));
  if (bare === undefined) return ids;
  // The same number can be another user on another platform.
  throw new BatonError(
    'config_invalid',
    `${name} (${settings.origin(name)}): "${bare}" does not name its platform.`,
    { hint: `Write it as "discord:${bare}".` },
  );
}

function hooksIn(settings: Settings): GatewayConfig['hooks'] {
  const hooks = required(settings, 'gatewayHooks');
  const unknown = Object.keys(hooks).find((name) => !HOOK_NAMES.some((each) => each === name));
  if (unknown === undefined) return hooks;
  throw new BatonError(
    'config_invalid',
    `gatewayHooks (${settings.origin('gatewayHooks')}): unknown hook "${unknown}".`,
    { hint: `The hooks are ${HOOK_NAMES.join(', ')}.` },
  );
}

function accessWarnings({ permissionMode, access }: GatewayConfig, settings: Settings): string[] {
  const hasUsers = access.users.length > 0;
  if (permissionMode === 'allow-all' && !hasUsers) {
    throw new BatonError(
      'config_invalid',
      'Permission mode "allow-all" requires a list of allowed users.',
      {
        hint: 'Set BATON_GATEWAY_USERS, such as discord:1234, or BATON_PERMISSION_MODE to "ask".',
      },
    );
  }
  const warnings: string[] = [];
  if (permissionMode === 'allow-all' && settings.origin('permissionMode') === 'default') {
    warnings.push(
      'The agent runs every tool without asking, because no permission mode is set. Set BATON_PERMISSION_MODE to "ask" to approve tools in chat.',
    );
  }
  if (!hasUsers) {
    warnings.push('No users are allowed, so every message is ignored. Set BATON_GATEWAY_USERS.');
  }
  return warnings;
}
