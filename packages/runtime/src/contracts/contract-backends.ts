import { claudeSpec } from '../backends/claude/backend.ts';
import { gatewayDriver as codexDriver, codexSpec } from '../backends/codex/backend.ts';
import { geminiSpec } from '../backends/gemini/backend.ts';
import { gatewayDriver as geminiDriver } from '../backends/gemini/drivers.ts';
import { openCodeSpec } from '../backends/opencode/backend.ts';
import { gatewayDriver as openCodeDriver } from '../backends/opencode/drivers.ts';
import type { Backend } from '../definition/backend.ts';
import type { BackendSpec } from '../definition/backend-entry.ts';
import { isInside } from '../paths/is-inside.ts';
import { defaultRegistry } from '../registry/default-baton.ts';
import { defineBackend } from '../run/define-backend.ts';
import { gatewayDriver as claudeDriver, runnerDriver } from './claude-drivers.ts';

/** Claude with the command line of the gateway. Claude itself says no to root; asking it is part of that contract. */
export function claudeForGateway(input: { streaming: boolean; binary: string }): Backend {
  const { check: _check, ...spec } = claudeSpec;
  return contractBackend({ ...spec, drivers: [claudeDriver(input.streaming)] }, input);
}

/** Codex with the command line of the gateway. */
export function codexForGateway(input: { binary: string }): Backend {
  return contractBackend({ ...codexSpec, drivers: [codexDriver] }, input);
}

/** Gemini CLI with the command line of the gateway. */
export function geminiForGateway(input: { streaming: boolean; binary: string }): Backend {
  return contractBackend({ ...geminiSpec, drivers: [geminiDriver(input.streaming)] }, input);
}

/** OpenCode with the command line of the gateway. */
export function openCodeForGateway(input: { binary: string }): Backend {
  return contractBackend({ ...openCodeSpec, drivers: [openCodeDriver] }, input);
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
  const place = { ...claudeSpec.binary, ...variable, localFolder };
  return contractBackend({ ...claudeSpec, drivers: [runnerDriver], binary: place }, { binary });
}

function contractBackend(spec: BackendSpec, { binary }: { binary?: string | undefined }): Backend {
  return defineBackend(spec, defaultRegistry())(binary ? { binary } : {});
}
