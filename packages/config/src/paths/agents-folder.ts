import { join } from 'node:path';

/** Folder in which `baton backends install` puts agents. */
export function agentsFolder(home: string): string {
  return join(home, '.baton/agents');
}

/** Path at which `baton backends install` puts the program of that name. */
export function installedProgram(name: string, home: string): string {
  return join(agentsFolder(home), name, 'node_modules/.bin', name);
}
