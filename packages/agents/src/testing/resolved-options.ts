import type { ResolvedOptions } from '@baton/engine/definition/driver';
import type { RunOptions } from '@baton/protocol';

/** Options as a driver gets them, for a folder without a trust decision. */
export function resolvedOptions(
  cwd: string,
  { env, ...more }: Partial<Omit<RunOptions, 'cwd'>> & Partial<Pick<ResolvedOptions, 'trust'>> = {},
): ResolvedOptions {
  return {
    trust: { folder: cwd, trusted: false, settings: [] },
    protectedPaths: [],
    ...more,
    permissionMode: more.permissionMode ?? 'ask',
    cwd,
    env: env ?? {},
  };
}

/** For drivers that run nothing before the agent. */
export function nothingFirst(): Promise<never> {
  return Promise.reject(new Error('Nothing runs before this agent.'));
}
