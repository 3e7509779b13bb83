import { createHash } from 'node:crypto';
import { statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Baton } from '@baton/agents/registry/baton';
import { homeFolder } from '@baton/config/paths/home-folder';
import { readConfigFile, userConfigPath } from '@baton/config/settings';
import {
  type GatewayConfig,
  type LoadedConfig,
  loadConfig,
  MarkdownConfigLoader,
} from '@baton/gateway';
import { BatonError } from '@baton/protocol/values';
import { type Command, isSet, type Parsed, settingFlags, textOf } from '../../arguments/command.ts';
import { keptToken } from '../../remote/kept-tokens.ts';

/** Names under which `baton gateway init` stores secrets, next to the logins of daemons. */
export const DISCORD_SECRET = 'discord';
export const WEBHOOK_SECRET = 'webhook';
export const PRESS_SECRET = 'webhook-presses';

/** Length of the name of a workspace's folder. */
const NAME_LENGTH = 16;

/** Returns the configuration of the gateway from flags, variables, stored secrets and the user's file. */
export function gatewayConfig(command: Command, parsed: Parsed, baton: Baton): LoadedConfig {
  const { env } = process;
  const { daemonUrl: _daemon, ...flags } = settingFlags(command, parsed);
  const secrets = {
    BATON_DISCORD_TOKEN: env.BATON_DISCORD_TOKEN || env.DISCORD_TOKEN || keptToken(DISCORD_SECRET),
    BATON_GATEWAY_WEBHOOK_SECRET: env.BATON_GATEWAY_WEBHOOK_SECRET || keptToken(WEBHOOK_SECRET),
    BATON_GATEWAY_PRESS_SECRET: env.BATON_GATEWAY_PRESS_SECRET || keptToken(PRESS_SECRET),
  };
  return loadConfig({ ...env, ...secrets }, readConfigFile(userConfigPath(homeFolder())), {
    registry: baton.registry,
    flags,
    usesDaemon: usesDaemon(parsed),
    isTerminalOnly: isSet(parsed, 'terminal'),
  });
}

export function usesDaemon(parsed: Parsed): boolean {
  return textOf(parsed, 'daemon') !== undefined;
}

/** Throws if the agent cannot work in the workspace, or could change its own instructions there. */
export function checkFolders(
  { workingDir, configDir }: Pick<GatewayConfig, 'workingDir' | 'configDir'>,
  parsed: Parsed,
): void {
  new MarkdownConfigLoader(configDir, workingDir);
  // A daemon may run on another machine.
  if (usesDaemon(parsed)) return;
  if (statSync(workingDir, { throwIfNoEntry: false })?.isDirectory()) return;
  throw new BatonError('cwd_missing', `The workspace ${workingDir} is not a folder.`, {
    hint: 'Create it, or choose another one with --cwd or BATON_GATEWAY_WORKING_DIR.',
  });
}

/**
 * Returns the folder of the stored messages. It is never the database of a daemon. A terminal has a conversation per
 * workspace, separate from those of the chat platforms.
 */
export function dataFolder(parsed: Parsed, { workingDir }: GatewayConfig): string {
  const given = textOf(parsed, 'data');
  if (given !== undefined) return resolve(given);
  const gateway = join(homeFolder(), '.baton/gateway');
  if (!isSet(parsed, 'terminal')) return join(gateway, 'data');
  const name = createHash('sha256').update(workingDir).digest('hex').slice(0, NAME_LENGTH);
  return join(gateway, 'terminal', name);
}

/** The secrets of a configuration, which no log may contain. */
export function secretsOf({ discord, webhook }: GatewayConfig): string[] {
  // A token may have been copied with its prefix, "Bot".
  const token = discord?.token.trim().split(/\s+/).at(-1);
  return [token, webhook?.secret, webhook?.pressSecret]
    .filter((secret) => secret !== undefined)
    .filter(Boolean);
}

/** A text without secrets. */
export function redacted(text: string, secrets: readonly string[]): string {
  return secrets.reduce((known, secret) => known.replaceAll(secret, '[secret]'), text);
}
