import { agentPrograms } from '../../../../../testbed/agents.ts';
import { describeConformance } from '../../testing/agent-conformance.ts';
import { codexSdkBackend } from '../../testing/built-in-backends.ts';

describeConformance('codex-sdk', codexSdkBackend, agentPrograms['codex-sdk'].native, {
  model: 'gpt-test-model',
  losesLineSeparators: true,
  // It is a library: no program can take its place.
  withBinary: undefined,
});
