import { join, resolve } from 'node:path';
import { homeFolder } from '@baton/config/paths/home-folder';
import { settingsIn } from '@baton/config/trust/folder-settings';
import { array, type Json, object } from '@baton/config/values/json';
import type { DraftOf } from '@baton/engine/definition/dialect';
import type { ResolvedOptions } from '@baton/engine/definition/driver';
import { readJsonFile, readOptionalJson } from '@baton/engine/kit/json-file';
import { allowsWholeTool } from './allowed-tools.ts';

const EDITORS = ['Edit', 'NotebookEdit', 'Write'];
const SETTINGS_FILES = ['settings.json', 'settings.local.json'];
const ASKED = ['Bash', 'Skill', 'WebFetch', 'WebSearch', 'mcp__*'];

/**
 * The settings for a transport that cannot ask: ask rules for everything that Claude would otherwise do without asking,
 * which print mode then denies. Tools that the caller allowed as a whole stay allowed.
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

/** An ask rule takes precedence over every allow rule, so tools that the caller allowed get none. */
function isLeftToClaude(tool: string, allowed: readonly string[]): boolean {
  if (tool !== 'mcp__*') return allowsWholeTool(allowed, tool);
  return allowed.some((rule) => rule.startsWith('mcp__'));
}

/** The rules for a part of a tool, which an ask rule for the whole tool overrides. */
export function narrowRules({ tools }: ResolvedOptions): string[] {
  const allowed = tools?.allowed ?? [];
  return allowed.filter(
    (rule) => rule.includes('(') && !allowsWholeTool(allowed, rule.split('(')[0] ?? ''),
  );
}

/** Variables for Claude in an untrusted folder, so that it still reads the instructions of the folder. */
export function folderEnvironment(options: ResolvedOptions): Record<string, string> {
  return options.trust.trusted ? {} : { CLAUDE_CODE_ADDITIONAL_DIRECTORIES_CLAUDE_MD: '1' };
}

/**
 * Says which instructions Claude does not read because the folder is not trusted: it reads `CLAUDE.md` of the folder
 * itself, but without the settings of the folder nothing above it.
 */
export function unreadInstructions({ cwd, env, trust }: ResolvedOptions): DraftOf<'notice'>[] {
  if (trust.trusted || trust.decidedBy !== undefined) return [];
  const files = settingsIn(cwd, ['CLAUDE.md', 'CLAUDE.local.md'], env.HOME ?? homeFolder());
  const unread = files.filter((path) => path !== 'CLAUDE.md');
  if (unread.length === 0) return [];
  const message = `This folder is not trusted, so Claude Code does not read ${unread.join(', ')}. Run "baton trust" to trust it.`;
  return [
    { type: 'notice', level: 'warning', code: 'folder_untrusted', message, data: { unread } },
  ];
}

/** Keeps only the deny and ask rules of an untrusted folder. */
export function withFolderRules(options: ResolvedOptions): ResolvedOptions {
  if (options.trust.trusted) return options;
  const files = SETTINGS_FILES.map((name) => readOptionalJson(join(options.cwd, '.claude', name)));
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

function settingsOf({ settings, cwd }: ResolvedOptions): Json {
  if (typeof settings !== 'string') return settings ?? {};
  return readJsonFile(resolve(cwd, settings), 'settings file');
}
