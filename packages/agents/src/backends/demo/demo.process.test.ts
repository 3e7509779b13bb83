import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'vitest';
import {
  type ConformanceSubject,
  conformanceCases,
  type ScriptStep,
} from '../../../../agent-tools/src/conformance/index.ts';
import { demoBackend } from '../../testing/built-in-backends.ts';

const subject: ConformanceSubject = {
  backend: demoBackend(),
  failures: [],
  withBinary: (binary) => demoBackend({ binary }),
  prompt: (steps) => `demo:script ${JSON.stringify(steps.map(demoStep))}`,
  async world() {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), 'demo-world-')));
    const cwd = join(folder, 'workspace');
    mkdirSync(cwd);
    return {
      cwd,
      options: { providerOptions: { pace: 0 }, env: { HOME: folder } },
      dispose: async () => rmSync(folder, { recursive: true, force: true }),
    };
  },
  folderHooks: [
    {
      name: 'a hook',
      plant: (folder, onStart) =>
        writeFileSync(join(folder, '.baton-demo.json'), JSON.stringify({ onStart })),
    },
  ],
};

describe('the demo agent passes the conformance suite', () => {
  const cases = conformanceCases(subject).filter(({ skip }) => skip === undefined);
  for (const { name, run } of cases) test(name, run);
});

function demoStep(step: ScriptStep): object {
  return 'hang' in step ? { stall: true } : step;
}
