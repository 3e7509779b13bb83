import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { CliWorld } from '../testing/baton.ts';

test.concurrent('limits for a run are none for a person who types along', async () => {
  const world = new CliWorld();
  const claude = join(world.home, 'claude');
  writeFileSync(claude, '#!/bin/sh\necho "called with: $*."\n');
  chmodSync(claude, 0o755);
  const env = {
    BATON_CLAUDE_BIN: claude,
    BATON_MAX_TURNS: '3',
    BATON_BUDGET_USD: '1',
    BATON_TIMEOUT: '1h',
    BATON_RETRIES: '2',
    BATON_MODEL: 'opus',
  };
  const { code, output } = await world.terminal({ args: ['chat', '-b', 'claude'], env }).end();
  expect(output).toContain('--model opus');
  expect(output).not.toMatch(/turns|budget/);
  expect(code).toBe(0);
});
