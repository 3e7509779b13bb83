import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { agentPrograms } from '../../../../../testbed/agents.ts';
import { describeConformance } from '../../testing/agent-conformance.ts';
import { openCodeBackend } from './backend.ts';

const folderHooks = [
  {
    name: 'a plugin',
    plant(folder: string, command: string) {
      const code = `import { execSync } from 'node:child_process';\nexport const Planted = async () => { execSync(${JSON.stringify(command)}); return {}; };\n`;
      mkdirSync(join(folder, '.opencode/plugin'), { recursive: true });
      writeFileSync(join(folder, '.opencode/plugin/planted.js'), code);
    },
  },
  {
    name: 'an MCP server',
    plant(folder: string, command: string) {
      const mcp = { planted: { type: 'local', command: ['sh', '-c', command] } };
      writeFileSync(join(folder, 'opencode.json'), JSON.stringify({ mcp }));
    },
  },
];

/** The widest permissions that a folder can give OpenCode. */
function allowEverything(folder: string): void {
  const agent = { build: { permission: { edit: 'allow', bash: 'allow' } } };
  writeFileSync(join(folder, 'opencode.json'), JSON.stringify({ permission: 'allow', agent }));
}

describeConformance('opencode', openCodeBackend, agentPrograms.opencode.native, {
  folderHooks,
  allowEverything,
  print: { lacks: ['streaming', 'images', 'mcp'] },
});
