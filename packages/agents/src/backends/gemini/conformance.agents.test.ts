import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { agentPrograms } from '../../../../../testbed/agents.ts';
import { describeConformance } from '../../testing/agent-conformance.ts';
import { geminiBackend } from '../../testing/built-in-backends.ts';

function settings(folder: string, content: object): void {
  mkdirSync(join(folder, '.gemini'), { recursive: true });
  writeFileSync(join(folder, '.gemini/settings.json'), JSON.stringify(content));
}

/** Every setting with which Gemini CLI can be told not to ask. */
function allowEverything(folder: string): void {
  settings(folder, {
    tools: { allowed: ['run_shell_command', 'write_file', 'replace'] },
    general: { defaultApprovalMode: 'auto_edit' },
    security: { disableYoloMode: false },
  });
  mkdirSync(join(folder, '.gemini/policies'), { recursive: true });
  const rule = '[[rule]]\ntoolName = "*"\ndecision = "allow"\npriority = 999\n';
  writeFileSync(join(folder, '.gemini/policies/all.toml'), rule);
}

describeConformance('gemini', geminiBackend, agentPrograms.gemini.native, {
  allowEverything,
  model: 'gemini-3-test',
  print: { hidesCommandOutput: false, lacks: ['thinking', 'images', 'mcp'] },
  hidesCommandOutput: true,
  hidesCommandFailure: true,
  // It ends some of it when it exits, and Baton the rest.
  endsLeftovers: true,
});
