import { agentPrograms } from '../../../../../testbed/agents.ts';
import { describeConformance } from '../../testing/agent-conformance.ts';
import { piBackend } from '../../testing/built-in-backends.ts';

describeConformance('pi', piBackend, agentPrograms.pi.native, {
  options: { model: 'fake/fake-model', providerOptions: { tools: true, thinking: 'high' } },
  // It is a library: no program can take its place.
  withBinary: undefined,
});
