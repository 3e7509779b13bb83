import type { Action, FileChange } from '../action.ts';

/** Describes an action in one line; paths inside the working directory are relative to it. */
export function actionWords(name: string, action: Action, cwd?: string): string {
  switch (action.type) {
    case 'command':
      return `$ ${action.command}`;
    case 'file.read':
      return `Read ${shortPath(action.path, cwd)}`;
    case 'file.edit':
      return editWords(action.changes, cwd);
    case 'search':
      return `Search ${action.query}`;
    case 'fetch':
      return `Fetch ${action.url ?? action.query ?? ''}`;
    case 'plan':
      return 'Plan';
    case 'subagent':
      return `Sub-agent ${action.description ?? action.agent ?? ''}`;
    case 'mcp':
      return `${action.server} · ${action.tool}`;
    default:
      return action.description ? `${name}: ${action.description}` : name;
  }
}

function editWords(changes: readonly FileChange[], cwd: string | undefined): string {
  const onlyDeletes = changes.length > 0 && changes.every(({ kind }) => kind === 'delete');
  const paths = changes.map(({ path, kind, newPath }) => {
    const short = shortPath(path, cwd);
    if (newPath !== undefined) return `${short} → ${shortPath(newPath, cwd)}`;
    return kind === 'delete' && !onlyDeletes ? `${short} (deleted)` : short;
  });
  return `${onlyDeletes ? 'Delete' : 'Edit'} ${paths.join(', ')}`;
}

function shortPath(path: string, cwd: string | undefined): string {
  return cwd !== undefined && path.startsWith(`${cwd}/`) ? path.slice(cwd.length + 1) : path;
}
