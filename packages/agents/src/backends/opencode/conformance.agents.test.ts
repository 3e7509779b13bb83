import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { agentPrograms } from '../../../../../testbed/agents.ts';
import { describeConformance } from '../../testing/agent-conformance.ts';
import { openCodeBackend } from '../../testing/built-in-backends.ts';

/** The widest permissions that a folder can give OpenCode. */
function allowEverything(folder: string): void {
  const agent = { build: { permission: { edit: 'allow', bash: 'allow' } } };
  writeFileSync(join(folder, 'opencode.json'), JSON.stringify({ permission: 'allow', agent }));
}

describeConformance('opencode', openCodeBackend, agentPrograms.opencode.native, {
  allowEverything,
  print: { lacks: ['streaming', 'images', 'mcp'] },
});
