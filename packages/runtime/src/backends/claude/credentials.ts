import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Credentials, Surroundings } from '../../define-backend.ts';
import { homeFolder } from '../../home-folder.ts';
import { type Json, object, parseJson } from '../../normalize/json.ts';
import { followed } from '../../paths/follow-links.ts';

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

/** Where Claude Code keeps its sessions, settings and login. */
export function claudePaths(env: Readonly<Record<string, string | undefined>>): string[] {
  const home = homeFolder();
  const moved = env.CLAUDE_CONFIG_DIR;
  return moved ? [moved] : [join(home, '.claude'), join(home, '.claude.json')];
}

/** Looks for a key, a login or another provider; whether they are accepted shows only when they are used. */
export function findCredentials({ env, home, cwd }: Surroundings): Credentials {
  const variable = VARIABLES.find((name) => env[name]);
  if (variable) return { credentials: 'found', credentialSource: variable };
  const moved = env.CLAUDE_CONFIG_DIR;
  const folder = moved ?? join(home, '.claude');
  const state = join(moved ?? home, '.claude.json');
  const places: [string, (content: Json) => boolean][] = [
    [join(folder, '.credentials.json'), (content) => Object.keys(content).length > 0],
    [state, (content) => Boolean(content.oauthAccount ?? content.primaryApiKey)],
    [join(folder, 'settings.json'), hasHelper],
    [join(cwd, '.claude', 'settings.json'), hasHelper],
    [join(cwd, '.claude', 'settings.local.json'), hasHelper],
  ];
  const place = places.find(([path, fits]) => fits(contentOf(path)));
  if (place) return { credentials: 'found', credentialSource: place[0] };
  // The keychain of macOS is not looked into: that would ask the person for a password.
  return { credentials: process.platform === 'darwin' ? 'unknown' : 'missing' };
}

/** Whether somebody told Claude itself to trust a folder, or one around it. */
export function claudeTrusts({ env, home, cwd }: Surroundings): boolean | undefined {
  const { projects } = contentOf(join(env.CLAUDE_CONFIG_DIR ?? home, '.claude.json'));
  const isAccepted = (folder: string): boolean =>
    object(object(projects)[folder]).hasTrustDialogAccepted === true ||
    (dirname(folder) !== folder && isAccepted(dirname(folder)));
  // Claude knows a folder by its real path: a link in a trusted folder may lead anywhere.
  return isAccepted(followed('/', cwd) ?? cwd) ? true : undefined;
}

function hasHelper(content: Json): boolean {
  return Boolean(content.apiKeyHelper);
}

function contentOf(path: string): Json {
  try {
    return object(parseJson(readFileSync(path, 'utf8')));
  } catch {
    return {};
  }
}
