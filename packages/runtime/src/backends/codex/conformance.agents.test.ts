import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { agentPrograms } from '../../../../../testbed/agents.ts';
import { describeConformance } from '../../testing/agent-conformance.ts';
import { codexBackend } from './index.ts';

describeConformance('codex', codexBackend, agentPrograms.codex.native, {
  lookup: { program: 'codex', path: agentPrograms.codex.launcher, create: codexBackend },
  folderHooks: [
    {
      name: 'an MCP server',
      plant(folder, command) {
        mkdirSync(join(folder, '.codex'), { recursive: true });
        const server = `command = "sh"\nargs = ["-c", ${JSON.stringify(command)}]\n`;
        writeFileSync(join(folder, '.codex/config.toml'), `[mcp_servers.planted]\n${server}`);
      },
    },
  ],
});
