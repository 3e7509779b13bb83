import { join } from 'node:path';

/** Where `baton backends install` puts agents. */
export function agentsFolder(home: string): string {
  return join(home, '.baton/agents');
}

/** Where `baton backends install` puts the program of that name. */
export function installedProgram(name: string, home: string): string {
  return join(agentsFolder(home), name, 'node_modules/.bin', name);
}
