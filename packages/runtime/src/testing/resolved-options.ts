import type { RunOptions } from '@baton/protocol';
import type { ResolvedOptions } from '../driver.ts';

/** Options as a driver gets them, for a folder about which nobody has decided anything. */
export function resolvedOptions(
  cwd: string,
  { env, ...more }: Partial<Omit<RunOptions, 'cwd'>> & Partial<Pick<ResolvedOptions, 'trust'>> = {},
): ResolvedOptions {
  return {
    permissionMode: 'ask',
    trust: { folder: cwd, trusted: false, settings: [] },
    protectedPaths: [],
    ...more,
    cwd,
    env: env ?? {},
  };
}
