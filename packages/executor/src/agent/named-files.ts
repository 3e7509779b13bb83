import { dirname, join, resolve } from 'node:path';
import { homeFolder } from '@baton/config/paths/home-folder';
import { readFileInside } from '@baton/config/paths/read-inside';
import { readImage } from '@baton/engine/kit/image-file';
import { unixAccount } from '@baton/process';
import type { Isolation } from '@baton/process/isolation/isolation';
import { BatonError, type McpConfig, type RunRequest } from '@baton/protocol';

/** Returns the function that reads the settings of a project: only what the isolated agent could read itself. */
export function projectReader({ mode, unix_user, hidden }: Isolation) {
  if (mode === 'none') return undefined;
  const confined = {
    hidden: [...hidden, join(homeFolder(), '.baton')],
    reader: mode === 'user' ? unixAccount(unix_user) : undefined,
  };
  return (path: string) => readFileInside(dirname(path), path, confined).toString('utf8');
}

/**
 * Puts the content of the files that a task names in the place of their paths. A backend would read them outside of the
 * sandbox, so a confined task may only name files in its own folder.
 */
export function withNamedFiles(
  request: RunRequest,
  cwd: string,
  { mode, unix_user, hidden }: Isolation,
): RunRequest {
  if (mode === 'none') return request;
  const { settings, mcpConfig, images } = request;
  const confined = {
    hidden: [...hidden, join(homeFolder(), '.baton')],
    reader: mode === 'user' ? unixAccount(unix_user) : undefined,
  };
  const read = (what: string, path: string) => {
    try {
      return readFileInside(cwd, resolve(cwd, path), confined);
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : String(cause);
      throw new BatonError('usage', `Cannot read the ${what} "${path}": ${why}.`, {
        hint: 'A sandboxed task may only name files in the folder of its session.',
      });
    }
  };
  const json = (what: string, path: string): Record<string, unknown> => {
    try {
      const value: unknown = JSON.parse(read(what, path).toString('utf8'));
      if (typeof value === 'object' && value !== null) return { ...value };
    } catch (error) {
      if (BatonError.is(error)) throw error;
    }
    throw new BatonError('config_invalid', `The ${what} is not a JSON object: ${path}`);
  };
  return {
    ...request,
    ...(typeof settings === 'string' ? { settings: json('settings file', settings) } : {}),
    // The backend checks the servers.
    ...(typeof mcpConfig === 'string'
      ? { mcpConfig: json('MCP configuration', mcpConfig) as McpConfig }
      : {}),
    ...(images
      ? { images: images.map((each) => readImage(each, cwd, (path) => read('image', path))) }
      : {}),
  };
}
