import * as contracts from '@baton/runtime/contracts';
import { expect, test } from 'vitest';

test.each([
  'agentRuntime',
  'ClaudeCodeBackend',
  'CodexBackend',
  'COMPLETION_MARKER',
  'createBackend',
  'normalizeExecutionBackend',
  'parseClaudeCliOutput',
  'resolveBackendName',
  'runnerBackend',
  'spawnAgentAndWait',
])('%s can be imported from the package', (name) => {
  expect(contracts).toHaveProperty(name);
});
