import { isAbsolute, relative } from 'node:path';
import type { Action, FileChange, Usage } from '@baton/protocol';

/** A time as people say it: 340 ms, 12.3 s, 4 min 05 s. */
export function duration(milliseconds: number): string {
  if (milliseconds < 999.5) return `${Math.round(milliseconds)} ms`;
  if (milliseconds < 59_950) return `${(milliseconds / 1000).toFixed(1)} s`;
  const seconds = Math.round(milliseconds / 1000);
  return `${Math.floor(seconds / 60)} min ${String(seconds % 60).padStart(2, '0')} s`;
}

/** Tokens and cost of a run, in a few words. */
export function usageWords(usage: Usage | undefined): string[] {
  if (!usage) return [];
  const words: string[] = [];
  if (usage.totalTokens) words.push(`${usage.totalTokens.toLocaleString('en-US')} tokens`);
  if (usage.costUsd) words.push(`$${usage.costUsd.toFixed(usage.costUsd < 0.1 ? 4 : 2)}`);
  return words;
}

/** What a tool does, in one line; paths inside the working directory are shortened. */
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
  if (cwd === undefined || !isAbsolute(path)) return path;
  const way = relative(cwd, path);
  return way === '' || way.startsWith('..') ? path : way;
}
