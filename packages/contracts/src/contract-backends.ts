import { claudeSpec } from '@baton/agents/backends/claude/backend';
import { gatewayDriver as codexDriver, codexSpec } from '@baton/agents/backends/codex/backend';
import { geminiSpec } from '@baton/agents/backends/gemini/backend';
import { gatewayDriver as geminiDriver } from '@baton/agents/backends/gemini/drivers';
import { openCodeSpec } from '@baton/agents/backends/opencode/backend';
import { gatewayDriver as openCodeDriver } from '@baton/agents/backends/opencode/drivers';
import { defaultRegistry } from '@baton/agents/registry/default-baton';
import { isInside } from '@baton/config/paths/is-inside';
import type { Backend } from '@baton/engine/definition/backend';
import type { BackendSpec } from '@baton/engine/definition/backend-entry';
import { defineBackend } from '@baton/engine/run/define-backend';
import { gatewayDriver as claudeDriver, runnerDriver } from './claude-drivers.ts';

/** The command line of the gateway for one agent, in its plain or its streaming form. */
type GatewayCommand = { streaming: boolean; binary: string };

/** The agents of the original gateway. */
const GATEWAY_SPECS = {
  // Claude itself rejects root; asking it is part of the contract.
  claude: (streaming: boolean) => {
    const { check: _check, ...spec } = claudeSpec;
    return { ...spec, drivers: [claudeDriver(streaming)] };
  },
  codex: () => ({ ...codexSpec, drivers: [codexDriver] }),
  gemini: (streaming: boolean) => ({ ...geminiSpec, drivers: [geminiDriver(streaming)] }),
  opencode: () => ({ ...openCodeSpec, drivers: [openCodeDriver] }),
} satisfies Record<string, (streaming: boolean) => BackendSpec>;

/** Makes a backend with the command line of the gateway. */
export function gatewayBackend(
  name: keyof typeof GATEWAY_SPECS,
  { streaming, binary }: GatewayCommand,
): Backend {
  return contractBackend(GATEWAY_SPECS[name](streaming), { binary });
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
