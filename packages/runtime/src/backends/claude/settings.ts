import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { BatonError } from '@baton/protocol';
import { type ResolvedOptions, withholdsSettings } from '../../driver.ts';
import { array, isObject, type Json, object, parseJson } from '../../normalize/json.ts';
import { allowsWholeTool } from './allowed-tools.ts';

const EDITORS = ['Edit', 'NotebookEdit', 'Write'];
const SETTINGS_FILES = ['settings.json', 'settings.local.json'];
const ASKED = ['Bash', 'Skill', 'WebFetch', 'WebSearch', 'mcp__*'];

/**
 * The settings for a run in which nobody can be asked: what Claude would do without asking, or because its own
 * settings allow it, is made a matter of asking, and so of refusal. Tools that the caller allowed as a whole stay allowed.
 */
export function withAskRules(options: ResolvedOptions): Json {
  const settings = settingsOf(options);
  const permissions = object(settings.permissions);
  const allowed = options.tools?.allowed ?? [];
  const tools = options.permissionMode === 'auto' ? ASKED : [...ASKED, ...EDITORS];
  const ask = tools.filter((tool) => !isLeftToClaude(tool, allowed));
  return {
    ...settings,
    permissions: { ...permissions, ask: [...array(permissions.ask), ...ask] },
  };
}

/** An ask rule wins over every rule that allows, so there is none for tools that the caller allowed. */
function isLeftToClaude(tool: string, allowed: readonly string[]): boolean {
  if (tool !== 'mcp__*') return allowsWholeTool(allowed, tool);
  return allowed.some((rule) => rule.startsWith('mcp__'));
}

/** The rules for a part of a tool, which an ask rule for the whole tool wins over. */
export function narrowRules({ tools }: ResolvedOptions): string[] {
  const allowed = tools?.allowed ?? [];
  return allowed.filter(
    (rule) => rule.includes('(') && !allowsWholeTool(allowed, rule.split('(')[0] ?? ''),
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
