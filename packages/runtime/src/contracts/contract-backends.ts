import type { Backend } from '../backend.ts';
import {
  CLAUDE_BINARY,
  gatewayDriver as claudeDriver,
  claudeSpec,
  runnerDriver,
} from '../backends/claude/index.ts';
import { gatewayDriver as codexDriver, codexSpec } from '../backends/codex/index.ts';
import { defineBackend } from '../define-backend.ts';
import { isInside } from '../paths/is-inside.ts';

/** Claude with the command line of the gateway. Claude itself says no to root; asking it is part of that contract. */
export function claudeForGateway(input: { streaming: boolean; binary: string }): Backend {
  const { check: _check, ...spec } = claudeSpec;
  return defineBackend({ ...spec, drivers: [claudeDriver(input.streaming)] })({
    binary: input.binary,
  });
}

/** Codex with the command line of the gateway. */
export function codexForGateway(input: { binary: string }): Backend {
  return defineBackend({ ...codexSpec, drivers: [codexDriver] })({ binary: input.binary });
}

/**
 * Claude with the command line of the runner, whose own variable says where the program is. Without it the
 * `node_modules/.bin` of the folder in which the runner was started comes first, until a task works there or above:
 * from then on an agent may have put a program there.
 */
export function claudeForRunner(binary?: string, startedIn = process.cwd()): Backend {
  const workspaces = new Set<string>();
  const localFolder = (workspace: string | undefined) => {
    if (workspace !== undefined) workspaces.add(workspace);
    const isOpenToTasks = [...workspaces].some((each) =>
      isInside(each, startedIn, { orEqual: true, inDoubt: true }),
    );
    return isOpenToTasks ? undefined : startedIn;
  };
  const variable = process.env.CLAUDE_BIN ? { envVar: 'CLAUDE_BIN' } : {};
  return defineBackend({
    ...claudeSpec,
    drivers: [runnerDriver],
    binary: { ...CLAUDE_BINARY, ...variable, localFolder },
  })(binary ? { binary } : {});
}
