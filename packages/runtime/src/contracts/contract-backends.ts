import type { Backend } from '../backend.ts';
import {
  gatewayDriver as claudeDriver,
  claudeSpec,
  runnerDriver,
} from '../backends/claude/index.ts';
import { gatewayDriver as codexDriver, codexSpec } from '../backends/codex/index.ts';
import { defineBackend } from '../define-backend.ts';

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

/** Claude with the command line of the runner, whose own variable says where the program is. */
export function claudeForRunner(binary = process.env.CLAUDE_BIN): Backend {
  return defineBackend({ ...claudeSpec, drivers: [runnerDriver] })(binary ? { binary } : {});
}
