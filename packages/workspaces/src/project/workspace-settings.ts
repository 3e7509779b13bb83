import { dirname, isAbsolute } from 'node:path';
import { homeFolder } from '@baton/config/paths/home-folder';
import { isInside } from '@baton/config/paths/is-inside';
import { resolveLinks } from '@baton/config/paths/resolve-links';
import { loadUserSettings } from '@baton/config/settings';
import {
  type ConfigFile,
  findProjectConfig,
  readConfigFile,
  userConfigPath,
} from '@baton/config/settings/config-file';
import { decisionFor } from '@baton/config/trust/trusted-folders';
import { isObject } from '@baton/config/values/json';
import { BatonError } from '@baton/protocol/values';
import type { WorkspaceSettings } from './settings-schema.ts';

export type LoadedWorkspaceSettings = {
  settings: WorkspaceSettings;
  /** The file that each setting comes from. */
  origins: Readonly<Partial<Record<keyof WorkspaceSettings, string>>>;
  /** The project's file if it has such settings and its folder is not trusted: they are not used. */
  untrusted?: string | undefined;
};

/** Settings and decisions of the user that the settings of a project depend on. */
export type UserWorkspaceSettings = {
  /** The user's configuration file, and its section with the settings of projects. */
  path: string;
  projects?: unknown;
  trusted: readonly string[];
  untrusted: readonly string[];
};

export type WorkspaceSettingsInput = {
  /** The user's folder that the session is for; never the worktree, whose files the agent writes. */
  folder: string;
  home?: string | undefined;
  env?: Readonly<Record<string, string | undefined>> | undefined;
  /** Read from the home folder by default; a confined process gets them from the one that started it. */
  user?: UserWorkspaceSettings | undefined;
};

/** Reads what the user decided about projects, and nothing of a project. */
export function userWorkspaceSettings({
  home = homeFolder(),
  env = process.env,
}: Pick<WorkspaceSettingsInput, 'home' | 'env'> = {}): UserWorkspaceSettings {
  const path = userConfigPath(home);
  // No project can change which folders are trusted.
  const settings = loadUserSettings({ program: 'baton', home, env, onProblem: () => {} });
  return {
    path,
    projects: readConfigFile(path)?.values.projects,
    trusted: settings.get('trustedFolders') ?? [],
    untrusted: settings.get('untrustedFolders') ?? [],
  };
}

/** Loads the workspace settings of a folder: the user's own win over those of a trusted project, each by itself. */
export async function loadWorkspaceSettings({
  folder,
  home,
  env,
  user = userWorkspaceSettings({ home, env }),
}: WorkspaceSettingsInput): Promise<LoadedWorkspaceSettings> {
  const projectPath = findProjectConfig(folder);
  const project = projectPath ? readConfigFile(projectPath) : undefined;
  const asked = project?.values.workspace === undefined ? undefined : project;
  const isTrusted = asked !== undefined && decisionFor(dirname(asked.path), user) === true;
  const theirs = asked && isTrusted ? await parse(asked.values.workspace, asked, 'workspace') : {};
  const own = await ownSettings(user, folder);
  const origins = Object.fromEntries([
    ...Object.keys(theirs).map((name) => [name, asked?.path]),
    ...Object.keys(own).map((name) => [name, user.path]),
  ]);
  const untrusted = asked && !isTrusted ? asked.path : undefined;
  return { settings: { ...theirs, ...own }, origins, untrusted };
}

/** Settings in the user's file for the nearest folder around this one. */
export async function ownSettings(
  { path, projects }: UserWorkspaceSettings,
  folder: string,
): Promise<WorkspaceSettings> {
  if (projects === undefined) return {};
  if (!isObject(projects) || !Object.values(projects).every(isObject)) {
    throw new BatonError('config_invalid', `${path}: projects must be an object.`, {
      hint: 'Write { "projects": { "/path/of/project": { "workspace": { … } } } }.',
    });
  }
  const nearest = Object.keys(projects)
    .filter((each) => isAbsolute(each) && isInside(each, folder, { orEqual: true }))
    .sort((a, b) => length(b) - length(a))[0];
  if (nearest === undefined) return {};
  const { workspace } = (projects[nearest] ?? {}) as { workspace?: unknown };
  return workspace === undefined ? {} : parse(workspace, { path }, `projects.${nearest}.workspace`);
}

function length(folder: string): number {
  return (resolveLinks('/', folder) ?? folder).length;
}

/** Checks settings. The library for that is loaded only if there are any. */
async function parse(
  value: unknown,
  file: Pick<ConfigFile, 'path'>,
  name: string,
): Promise<WorkspaceSettings> {
  const { workspaceSettingsSchema } = await import('./settings-schema.ts');
  const result = workspaceSettingsSchema.safeParse(value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const where = [name, ...(issue?.path ?? []).map(String)].join('.');
  throw new BatonError('config_invalid', `${file.path}: ${where}: ${issue?.message}`, {
    hint: 'Fix the value, or omit it. docs/workspaces.md describes these settings.',
  });
}
