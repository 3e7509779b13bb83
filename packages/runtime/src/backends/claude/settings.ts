import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { BatonError } from '@baton/protocol';
import { type ResolvedOptions, withholdsSettings } from '../../driver.ts';
import { homeFolder } from '../../home-folder.ts';
import { array, isObject, type Json, object, parseJson } from '../../normalize/json.ts';
import { allowsWholeTool } from './allowed-tools.ts';

const EDITORS = ['Edit', 'NotebookEdit', 'Write'];
const SETTINGS_FILES = ['settings.json', 'settings.local.json'];
const ASKED = ['Bash', 'Skill', 'WebFetch', 'WebSearch', 'mcp__*'];

/**
 * The settings for a run in which nobody can be asked: what Claude would do without asking, or because its own
 * settings allow it, is made a matter of asking, and so of refusal. Tools that the caller allowed stay allowed.
 */
export function withAskRules(options: ResolvedOptions): Json {
  const settings = settingsOf(options);
  const permissions = object(settings.permissions);
  const allowed = options.tools?.allowed ?? [];
  const others = [settings, ...ownSettings(options)].flatMap((each) =>
    array(object(each.permissions).allow).filter((rule) => typeof rule === 'string'),
  );
  const tools = options.permissionMode === 'auto' ? ASKED : [...ASKED, ...EDITORS];
  const ask = tools.filter((tool) => !isLeftToClaude(tool, allowed, others));
  return {
    ...settings,
    permissions: { ...permissions, ask: [...array(permissions.ask), ...ask] },
  };
}

/**
 * A tool that the caller allowed as a whole needs no ask rule. One that was allowed in part would lose that part to an
 * ask rule, which wins; without one it stays narrow only where no other settings allow more of the same tool.
 */
function isLeftToClaude(
  tool: string,
  allowed: readonly string[],
  others: readonly string[],
): boolean {
  if (allowsWholeTool(allowed, tool)) return true;
  const isAboutTool = (rule: string) => isAbout(tool, rule);
  return allowed.some(isAboutTool) && !others.some(isAboutTool);
}

/** What Claude finds by itself: the user's settings and, where it may use them, those of the folder. */
function ownSettings(options: ResolvedOptions): Json[] {
  const { env, cwd } = options;
  const home = env.CLAUDE_CONFIG_DIR ?? join(env.HOME ?? homeFolder(), '.claude');
  const folder = withholdsSettings(options) ? [] : [join(cwd, '.claude')];
  return [home, ...folder].flatMap((place) =>
    SETTINGS_FILES.map((name) => optionalJson(join(place, name))),
  );
}

/** Variables for Claude in a folder that nobody trusted: the instructions of the folder are read all the same. */
export function folderEnvironment(options: ResolvedOptions): Record<string, string> {
  return withholdsSettings(options) ? { CLAUDE_CODE_ADDITIONAL_DIRECTORIES_CLAUDE_MD: '1' } : {};
}

/** Keeps what the settings of an untrusted folder forbid; nothing else of them is used. */
export function withFolderRules(options: ResolvedOptions): ResolvedOptions {
  if (!withholdsSettings(options)) return options;
  const files = SETTINGS_FILES.map((name) => optionalJson(join(options.cwd, '.claude', name)));
  const rules = (kind: string) => files.flatMap((file) => array(object(file.permissions)[kind]));
  const [deny, ask] = [rules('deny'), rules('ask')];
  if (deny.length + ask.length === 0) return options;
  const settings = settingsOf(options);
  const permissions = object(settings.permissions);
  return {
    ...options,
    settings: {
      ...settings,
      permissions: {
        ...permissions,
        deny: [...array(permissions.deny), ...deny],
        ask: [...array(permissions.ask), ...ask],
      },
    },
  };
}

function optionalJson(path: string): Json {
  try {
    return object(parseJson(readFileSync(path, 'utf8')));
  } catch {
    return {};
  }
}

function isAbout(tool: string, rule: string): boolean {
  return tool === 'mcp__*' ? rule.startsWith('mcp__') : rule.split('(')[0] === tool;
}

function settingsOf({ settings, cwd }: ResolvedOptions): Json {
  if (typeof settings !== 'string') return settings ?? {};
  const value = parseJson(textOf(resolve(cwd, settings)));
  if (isObject(value)) return value;
  throw new BatonError('config_invalid', `The settings file is not a JSON object: ${settings}`);
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    throw new BatonError('config_invalid', `The settings file cannot be read: ${path}`, { cause });
  }
}
