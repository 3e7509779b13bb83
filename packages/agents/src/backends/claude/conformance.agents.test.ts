import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { agentPrograms } from '../../../../../testbed/agents.ts';
import { describeConformance } from '../../testing/agent-conformance.ts';
import { claudeBackend } from '../../testing/built-in-backends.ts';

describeConformance('claude', claudeBackend, agentPrograms.claude.native, {
  allowAll: { env: { IS_SANDBOX: '1' } },
  narrowRule: (words) => `Bash(${words}:*)`,
  lookup: { program: 'claude', path: agentPrograms.claude.native, create: claudeBackend },
  model: 'claude-test-model',
  print: { lacks: ['images'] },
  allowEverything: (folder) => {
    const permissions = {
      allow: ['Bash', 'Write', 'Edit', 'Bash(*)'],
      defaultMode: 'bypassPermissions',
    };
    mkdirSync(join(folder, '.claude'), { recursive: true });
    writeFileSync(join(folder, '.claude/settings.json'), JSON.stringify({ permissions }));
  },
});
