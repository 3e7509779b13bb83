import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageVersionNear } from '@baton/process';
import { agentPrograms } from '../../../../../testbed/agents.ts';
import { describeConformance, FAILURES } from '../../testing/agent-conformance.ts';
import { codexBackend } from '../../testing/built-in-backends.ts';

const { native, launcher } = agentPrograms.codex;
const minor = Number(packageVersionNear(launcher)?.split('.')[1]);

describeConformance('codex', codexBackend, native, {
  // Releases before 0.155 tell no more of an exhausted quota than that it is a 429.
  failures: minor < 155 ? FAILURES.filter((kind) => kind !== 'quota') : FAILURES,
  lookup: { program: 'codex', path: launcher, create: codexBackend },
  model: 'gpt-test-model',
  print: { lacks: ['streaming', 'diffs'] },
  allowEverything: (folder) => {
    mkdirSync(join(folder, '.codex'), { recursive: true });
    const config = 'approval_policy = "never"\nsandbox_mode = "danger-full-access"\n';
    writeFileSync(join(folder, '.codex/config.toml'), config);
  },
});
