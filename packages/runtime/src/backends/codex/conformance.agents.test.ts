import { agentPrograms } from '../../../../../testbed/agents.ts';
import { describeConformance } from '../../testing/agent-conformance.ts';
import { codexBackend } from './index.ts';

describeConformance('codex', codexBackend, agentPrograms.codex.native);
