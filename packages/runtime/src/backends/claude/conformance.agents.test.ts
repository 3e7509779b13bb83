import { agentPrograms } from '../../../../../testbed/agents.ts';
import { describeConformance } from '../../testing/agent-conformance.ts';
import { claudeBackend } from './index.ts';

describeConformance('claude', claudeBackend, agentPrograms.claude.native, {
  allowAll: { env: { IS_SANDBOX: '1' } },
});
