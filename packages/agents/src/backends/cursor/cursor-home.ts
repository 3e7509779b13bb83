import { homedir } from 'node:os';
import { join } from 'node:path';
import { string } from '@baton/config/values/json';
import type { Credentials, Surroundings } from '@baton/engine/definition/backend-entry';
import { searchCredentials } from '@baton/engine/kit/credentials';

type Environment = Readonly<Record<string, string | undefined>>;

/** Folders in which Cursor's agent keeps its settings, chats and login. */
export function cursorFolders(env: Environment): string[] {
  const home = env.HOME || homedir();
  const config = env.XDG_CONFIG_HOME || join(home, '.config');
  return [env.CURSOR_CONFIG_DIR || join(home, '.cursor'), join(config, 'cursor')];
}

/** The file with the user's MCP servers, which the editor shares. */
export function cursorMcpPath(env: Environment): string {
  return join(env.HOME || homedir(), '.cursor/mcp.json');
}

/** Looks for Cursor's credentials; a login in the macOS keychain cannot be seen. */
export function cursorCredentials({ env }: Pick<Surroundings, 'env'>): Credentials {
  const found = searchCredentials(
    [
      { variable: 'CURSOR_API_KEY' },
      { variable: 'CURSOR_AUTH_TOKEN' },
      ...cursorFolders(env).map((folder) => ({
        file: join(folder, 'auth.json'),
        holdsLogin: (login: Readonly<Record<string, unknown>>) =>
          Boolean(string(login.accessToken)),
      })),
    ],
    env,
  );
  return found.credentials === 'found' ? found : { credentials: 'unknown' };
}
