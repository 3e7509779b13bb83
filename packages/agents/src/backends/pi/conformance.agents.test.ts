import { agentPrograms } from '../../../../../testbed/agents.ts';
import { describeConformance } from '../../testing/agent-conformance.ts';
import { piBackend } from '../../testing/built-in-backends.ts';

describeConformance('pi', piBackend, agentPrograms.pi.native, {
  // It is a library: no program can take its place.
  withBinary: undefined,
});
