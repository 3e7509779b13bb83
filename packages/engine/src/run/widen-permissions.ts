import type { AgentRun, PermissionMode } from '@baton/protocol/values';
import type { ActiveRun } from './active-run.ts';

/** Lets a run in this process do more without asking; its agent keeps asking, and Baton allows what the mode covers. */
export function widenPermissions(run: AgentRun, mode: PermissionMode): void {
  (run as Partial<Pick<ActiveRun, 'widen'>>).widen?.(mode);
}
