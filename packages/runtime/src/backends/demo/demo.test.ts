import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'vitest';
import {
  type ConformanceSubject,
  conformanceCases,
  type ScriptStep,
} from '../../conformance/index.ts';
import { demoBackend } from './index.ts';

const subject: ConformanceSubject = {
  backend: demoBackend(),
  failures: [],
  withBinary: (binary) => demoBackend({ binary }),
  prompt: (steps) => `demo:script ${JSON.stringify(steps.map(demoStep))}`,
  async world() {
    const cwd = realpathSync(mkdtempSync(join(tmpdir(), 'demo-world-')));
    return {
      cwd,
      options: { providerOptions: { pace: 0 }, env: { HOME: cwd } },
      dispose: async () => rmSync(cwd, { recursive: true, force: true }),
    };
  },
};

describe('the demo agent passes the conformance suite', () => {
  for (const { name, skip, run } of conformanceCases(subject)) {
    test(name, async (context) => {
      if (skip) context.skip(skip);
      await run();
    });
  }
});

function demoStep(step: ScriptStep): object {
  return 'hang' in step ? { stall: true } : step;
}
