import { dirname, join } from 'node:path';
import { homeFolder } from '@baton/config/paths/home-folder';
import { resolveLinks } from '@baton/config/paths/resolve-links';
import { type Json, object } from '@baton/config/values/json';
import type { Credentials, Surroundings } from '@baton/engine/definition/backend-entry';
import { type CredentialPlace, searchCredentials } from '@baton/engine/kit/credentials';
import { readOptionalJson } from '@baton/engine/kit/json-file';

/** The variables that hold secrets of Anthropic. */
export const KEY_VARIABLES = [
  'ANTHROPIC_API_KEY',
  'ANTHROPIC_AUTH_TOKEN',
  'CLAUDE_CODE_OAUTH_TOKEN',
] as const;

const VARIABLES = [
  ...KEY_VARIABLES,
  'CLAUDE_CODE_USE_BEDROCK',
  'CLAUDE_CODE_USE_VERTEX',
  'CLAUDE_CODE_USE_FOUNDRY',
];

/** The folder in which a Claude Code with this environment keeps its sessions, plans and settings. */
export function claudeFolder(env: Readonly<Record<string, string | undefined>>): string {
  return env.CLAUDE_CONFIG_DIR || join(env.HOME || homeFolder(), '.claude');
}

/** The file with the user's own state of Claude Code, which also has the user's MCP servers. */
export function claudeUserFile(env: Readonly<Record<string, string | undefined>>): string {
  return join(env.CLAUDE_CONFIG_DIR || env.HOME || homeFolder(), '.claude.json');
}

/** Paths at which Claude Code keeps its sessions, settings and login. */
export function claudePaths(env: Readonly<Record<string, string | undefined>>): string[] {
  const home = homeFolder();
  const moved = env.CLAUDE_CONFIG_DIR;
  return moved ? [moved] : [join(home, '.claude'), join(home, '.claude.json')];
}

/** Looks for a key, a login or another provider; whether they are accepted shows only when they are used. */
export function findCredentials({ env, home, cwd }: Surroundings): Credentials {
  const moved = env.CLAUDE_CONFIG_DIR;
  const folder = moved ?? join(home, '.claude');
  const places: CredentialPlace[] = [
    ...VARIABLES.map((variable) => ({ variable })),
    {
      file: join(folder, '.credentials.json'),
      holdsLogin: (content) => Object.keys(content).length > 0,
    },
    {
      file: join(moved ?? home, '.claude.json'),
      holdsLogin: ({ oauthAccount, primaryApiKey }) => Boolean(oauthAccount ?? primaryApiKey),
    },
    { file: join(folder, 'settings.json'), holdsLogin: hasKeyHelper },
    { file: join(cwd, '.claude', 'settings.json'), holdsLogin: hasKeyHelper },
    { file: join(cwd, '.claude', 'settings.local.json'), holdsLogin: hasKeyHelper },
  ];
  const found = searchCredentials(places, env);
  // The keychain of macOS is not looked into: that would ask the person for a password.
  const mayBeInKeychain = found.credentials === 'missing' && process.platform === 'darwin';
  return mayBeInKeychain ? { credentials: 'unknown' } : found;
}

/** True if the user told Claude itself to trust a folder or a parent of it; undefined otherwise. */
export function claudeTrusts({ env, home, cwd }: Surroundings): boolean | undefined {
  const { projects } = readOptionalJson(join(env.CLAUDE_CONFIG_DIR ?? home, '.claude.json'));
  const isAccepted = (folder: string): boolean =>
    object(object(projects)[folder]).hasTrustDialogAccepted === true ||
    (dirname(folder) !== folder && isAccepted(dirname(folder)));
  // Claude knows a folder by its real path: a link in a trusted folder may lead anywhere.
  return isAccepted(resolveLinks('/', cwd) ?? cwd) ? true : undefined;
}

function hasKeyHelper(settings: Json): boolean {
  return Boolean(settings.apiKeyHelper);
}
