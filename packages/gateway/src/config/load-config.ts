import { join, resolve } from 'node:path';
import { Registry } from '@baton/agents/registry/registry';
import { homeFolder } from '@baton/config/paths/home-folder';
import {
  type ConfigFile,
  resolveSettings,
  type SettingName,
  type Settings,
} from '@baton/config/settings';
import { resolveBackendName } from '@baton/contracts';
import { BatonError, type PermissionMode } from '@baton/protocol';
import type { AccessRules } from './access.ts';
import { allAgents } from './agent-list.ts';

export const HOOK_NAMES = ['startup', 'beforeRun', 'afterRun', 'shutdown'] as const;
export type HookName = (typeof HOOK_NAMES)[number];

export type GatewayConfig = {
  /** With `allow-all`, one of the four that have a `BackendAdapter`; otherwise any agent. */
  readonly agentBackend: string;
  readonly backendCliPath: string;
  readonly backendModel?: string | undefined;
  readonly backendMaxTurns: number;
  readonly allowedTools: readonly string[];
  readonly queryTimeoutMs: number;
  /** Retries after a transient failure. */
  readonly retries: number;
  readonly workingDir: string;
  /** Channels whose conversation works in a Git worktree of its own; `*` for all. */
  readonly worktrees: readonly string[];
  /** The folder with the Markdown files of the system prompt. */
  readonly configDir: string;
  readonly permissionMode: PermissionMode;
  readonly access: AccessRules;
  /** True if users must mention the bot in channels; not needed in threads and direct messages. */
  readonly requireMention: boolean;
  readonly hooks: Readonly<Partial<Record<HookName, string>>>;
  /** Time limit for the answer to a permission request or question; 0 for no limit. */
  readonly requestTimeoutMs: number;
  /** Maximum number of concurrent messages. */
  readonly concurrency: number;
  readonly discord?: { readonly token: string; readonly apiUrl?: string | undefined } | undefined;
  readonly webhook?:
    | {
        readonly port: number;
        /** Signs messages. */
        readonly secret: string;
        /** Secret that signs presses; without it, presses are rejected. */
        readonly pressSecret?: string | undefined;
      }
    | undefined;
};

export type LoadedConfig = {
  config: GatewayConfig;
  warnings: string[];
  /** The settings for agents other than through a `BackendAdapter`. */
  settings: Settings;
};

/** The folders that relative paths and `~` refer to. */
export type ConfigPlace = { cwd: string; home: string };

export type ConfigOptions = {
  /** The agents to choose from; the built-in ones by default. */
  registry?: Registry | undefined;
  place?: ConfigPlace | undefined;
  /** Values from the command line. */
  flags?: Partial<Record<SettingName, unknown>> | undefined;
  /** A daemon runs the agents. */
  usesDaemon?: boolean | undefined;
  /** The only user is the one who started the gateway, at its terminal. */
  isTerminalOnly?: boolean | undefined;
};

/** The user at the terminal of the gateway. */
export const TERMINAL_USER = 'terminal:local';
/** The channel at the terminal of the gateway. */
export const TERMINAL_CHANNEL = 'terminal:local';

/**
 * Builds the configuration from variables and the user's configuration file, without reading anything. A project's file
 * is not read: a user who can write to the workspace could let strangers in. Throws `config_invalid` where the gateway
 * must not start.
 */
export function loadConfig(
  env: Readonly<Record<string, string | undefined>>,
  file?: ConfigFile,
  { registry, place, flags, usesDaemon = false, isTerminalOnly = false }: ConfigOptions = {},
): LoadedConfig {
  const { cwd, home } = place ?? { cwd: process.cwd(), home: homeFolder() };
  const settings = resolveSettings({ program: 'gateway', env, flags }, { user: file });
  const permissionMode = permissionModeIn(settings, isTerminalOnly);
  const needsAdapter = permissionMode === 'allow-all' && !usesDaemon;
  const agentBackend = backendNameIn(registry ?? new Registry(), settings, needsAdapter);
  const config: GatewayConfig = {
    agentBackend,
    backendCliPath: settings.get('gatewayCliPath') ?? agentBackend,
    backendModel: settings.get('model'),
    backendMaxTurns: required(settings, 'maxTurns'),
    allowedTools: required(settings, 'allowedTools'),
    queryTimeoutMs: required(settings, 'timeout'),
    retries: required(settings, 'retries'),
    workingDir: resolve(cwd, inHome(settings.get('gatewayWorkingDir') ?? '', home)),
    worktrees: worktreesIn(settings),
    configDir: resolve(cwd, inHome(required(settings, 'gatewayConfigDir'), home)),
    permissionMode,
    access: {
      users: idsIn(settings, 'gatewayUsers'),
      guilds: idsIn(settings, 'gatewayGuilds'),
      channels: idsIn(settings, 'gatewayChannels'),
      directMessages: required(settings, 'gatewayDirectMessages'),
    },
    requireMention: required(settings, 'gatewayRequireMention'),
    hooks: hooksIn(settings),
    requestTimeoutMs: required(settings, 'gatewayRequestTimeout'),
    concurrency: required(settings, 'gatewayConcurrency'),
    discord: discordIn(settings),
    webhook: webhookIn(settings),
  };
  const forAgents = resolveSettings(
    { program: 'gateway', env, flags: { ...flags, binaries: binariesFor(agentBackend, settings) } },
    { user: file },
  );
  return {
    config,
    settings: forAgents,
    warnings: [...settings.warnings, ...accessWarnings(config, settings, isTerminalOnly)],
  };
}

/** Only four agents have the adapter that `allow-all` uses. */
function backendNameIn(registry: Registry, settings: Settings, needsAdapter: boolean): string {
  const name = required(settings, 'backend');
  try {
    if (needsAdapter) return resolveBackendName(name);
    // The name that /backend uses too, so that both mean the same sessions.
    return allAgents(registry).nameOf(name);
  } catch (error) {
    if (!BatonError.is(error)) throw error;
    const others = needsAdapter ? ' In the permission modes ask and auto, all agents work.' : '';
    const hint = `${error.hint}${others}`;
    throw new BatonError('config_invalid', error.message, { hint, cause: error });
  }
}

/** The default of the original design is for bots; at a terminal there is someone to ask. */
function permissionModeIn(settings: Settings, isTerminalOnly: boolean): PermissionMode {
  const isDefault = settings.origin('permissionMode') === 'default';
  return isTerminalOnly && isDefault ? 'ask' : required(settings, 'permissionMode');
}

/** The path of the gateway's own backend counts like one that was configured for it. */
function binariesFor(backend: string, settings: Settings): Record<string, string> | undefined {
  const path = settings.get('gatewayCliPath');
  const binaries = settings.get('binaries');
  return path === undefined ? binaries : { ...binaries, [backend]: path };
}

function discordIn(settings: Settings): GatewayConfig['discord'] {
  const token = settings.get('discordToken');
  return token === undefined ? undefined : { token, apiUrl: settings.get('discordApiUrl') };
}

function webhookIn(settings: Settings): GatewayConfig['webhook'] {
  const port = settings.get('gatewayWebhookPort');
  if (port === undefined) return undefined;
  const secret = settings.get('gatewayWebhookSecret');
  if (port > 65_535) {
    throw new BatonError(
      'config_invalid',
      `The port of the webhook must be at most 65535, not ${port}.`,
    );
  }
  const pressSecret = settings.get('gatewayPressSecret');
  if (secret !== undefined && secret === pressSecret) {
    throw new BatonError('config_invalid', 'The two secrets of the webhook are the same.', {
      hint: 'A program that may send messages could then approve what the agent asks for. Generate another one with "openssl rand -hex 32" for BATON_GATEWAY_PRESS_SECRET.',
    });
  }
  if (secret !== undefined) return { port, secret, pressSecret };
  throw new BatonError('config_invalid', 'The webhook has a port but no secret.', {
    hint: 'Generate one with "openssl rand -hex 32", and set BATON_GATEWAY_WEBHOOK_SECRET.',
  });
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

function worktreesIn(settings: Settings): readonly string[] {
  const channels = required(settings, 'gatewayWorktrees');
  return channels.includes('*') ? ['*'] : idsIn(settings, 'gatewayWorktrees');
}

function idsIn(
  settings: Settings,
  name: 'gatewayUsers' | 'gatewayGuilds' | 'gatewayChannels' | 'gatewayWorktrees',
): readonly string[] {
  const ids = required(settings, name);
  const refuse = (problem: string, hint: string) =>
    new BatonError('config_invalid', `${name} (${settings.origin(name)}): ${problem}`, { hint });
  const bare = ids.find((id) => !/^[a-z]+:\S+$/.test(id));
  if (bare !== undefined) {
    // The same number can be another user on another platform.
    throw refuse(
      `"${bare}" does not name its platform.`,
      /^\d+$/.test(bare)
        ? `Write it as "discord:${bare}".`
        : 'Ids name their platform, such as discord:1234.',
    );
  }
  const notNumber = ids.find((id) => /^discord:(?!\d+$)/.test(id));
  if (notNumber === undefined) return ids;
  throw refuse(
    `"${notNumber}" is not a Discord id, which is a number.`,
    'Turn on Developer Mode in Discord (Settings → Advanced), and copy the id from the context menu.',
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

function accessWarnings(
  { permissionMode, access }: GatewayConfig,
  settings: Settings,
  isTerminalOnly: boolean,
): string[] {
  const hasUsers = access.users.length > 0;
  if (permissionMode === 'allow-all' && !hasUsers && !isTerminalOnly) {
    throw new BatonError(
      'config_invalid',
      'Permission mode "allow-all" requires a list of allowed users.',
      {
        hint: 'Set BATON_GATEWAY_USERS to a list such as discord:1234, or BATON_PERMISSION_MODE to "ask".',
      },
    );
  }
  const warnings: string[] = [];
  if (permissionMode === 'allow-all' && settings.origin('permissionMode') === 'default') {
    warnings.push(
      'The agent runs every tool without asking, because no permission mode is set. Set BATON_PERMISSION_MODE to "ask" to approve tools in chat.',
    );
  }
  if (!hasUsers && !isTerminalOnly) {
    warnings.push('No users are allowed, so every message is ignored. Set BATON_GATEWAY_USERS.');
  }
  return warnings;
}
