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
