import { randomUUID } from 'node:crypto';
import { homeFolder } from '@baton/config/paths/home-folder';
import { AgentProcess, signalStep, stopProcess } from '@baton/process';
import type { StartHook } from './hook-manager.ts';

const TERM_MS = 2000;

/**
 * Starts a hook under the process supervisor. It runs in the home folder, because the agent could change what a command
 * finds in the workspace.
 */
export const startHook: StartHook = async (command, variables) => {
  const child = await AgentProcess.spawn({
    file: '/bin/sh',
    args: ['-c', command],
    cwd: homeFolder(),
    env: { ...process.env, ...variables },
    runId: randomUUID(),
    stdin: 'none',
    onLine: () => {},
  });
  return {
    exited: child.closed,
    get stderr() {
      return child.stderr;
    },
    async stop() {
      await stopProcess({ process: child, steps: [signalStep(child, 'SIGTERM', TERM_MS)] });
    },
  };
};
