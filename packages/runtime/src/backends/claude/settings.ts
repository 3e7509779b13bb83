import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { BatonError } from '@baton/protocol';
import type { ResolvedOptions } from '../../driver.ts';
import { array, isObject, type Json, object, parseJson } from '../../normalize/json.ts';

const EDITORS = ['Edit', 'NotebookEdit', 'Write'];
const ASKED = ['Bash', 'Skill', 'WebFetch', 'WebSearch', 'mcp__*'];

/**
 * The settings for a run in which nobody can be asked: what Claude would do without asking, or because its own
 * settings allow it, is made a matter of asking, and so of refusal. Tools that the caller allowed stay allowed.
 */
export function withAskRules(options: ResolvedOptions): Json {
  const settings = settingsOf(options);
  const permissions = object(settings.permissions);
  const allowed = options.tools?.allowed ?? [];
  const tools = options.permissionMode === 'auto' ? ASKED : [...ASKED, ...EDITORS];
  const ask = tools.filter((tool) => !allowed.some((rule) => isAbout(tool, rule)));
  return {
    ...settings,
    permissions: { ...permissions, ask: [...array(permissions.ask), ...ask] },
  };
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
