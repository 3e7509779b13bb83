import type { Action, Usage } from '@baton/protocol';

/** A time as people say it: 340 ms, 12.3 s, 4 min 05 s. */
export function duration(milliseconds: number): string {
  if (milliseconds < 1000) return `${Math.round(milliseconds)} ms`;
  if (milliseconds < 60_000) return `${(milliseconds / 1000).toFixed(1)} s`;
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

/** What a tool does, in one line. */
export function actionWords(name: string, action: Action): string {
  switch (action.type) {
    case 'command':
      return `$ ${action.command}`;
    case 'file.read':
      return `Read ${action.path}`;
    case 'file.edit':
      return `Edit ${action.changes.map(({ path }) => path).join(', ')}`;
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
