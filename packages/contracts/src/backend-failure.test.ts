import { errorInfo } from '@baton/protocol';
import { describe, expect, test } from 'vitest';
import { backendFailure } from './backend-failure.ts';

const CRASH = errorInfo('agent_crashed', 'busy');
const FACTS = { isLaunched: true, hasTools: false, reportsToolsFirst: true };

describe('a failure', () => {
  test.each([
    ['is proven harmless if the agent reports tools first and reported none', FACTS, false],
    ['may have acted if the agent reported a tool', { ...FACTS, hasTools: true }, true],
    [
      'may have acted if the agent reports tools only afterwards',
      { ...FACTS, reportsToolsFirst: false },
      true,
    ],
    [
      'is proven harmless if the agent was not launched',
      { isLaunched: false, hasTools: false, reportsToolsFirst: false },
      false,
    ],
  ])('%s', (_name, facts, mayHaveActed) => {
    expect(backendFailure(CRASH, facts)).toEqual({
      code: 'agent_crashed',
      isTransient: true,
      mayHaveActed,
    });
  });

  test('is proven harmless if the system could not start the process', () => {
    const error = errorInfo('internal', 'Cannot start a process', { retryable: true });
    expect(backendFailure(error, { ...FACTS, reportsToolsFirst: false })).toEqual({
      code: 'internal',
      isTransient: true,
      mayHaveActed: false,
    });
  });

  test('without an error is not transient', () => {
    expect(backendFailure(undefined, { ...FACTS, hasTools: true })).toEqual({
      isTransient: false,
      mayHaveActed: true,
    });
  });
});
