import childProcess from 'node:child_process';
import { syncBuiltinESMExports } from 'node:module';
import { expect } from 'vitest';

const MAY_START = /\.process\.test\.ts$/;
const GUARDED = Symbol.for('baton.guarded');

type Start = (...args: never[]) => unknown;

// Keeps the unit tests quick. This is run for every file of them, also where several share a process.
guard(childProcess.ChildProcess.prototype as unknown as Record<'spawn', Start>, ['spawn']);
guard(childProcess, ['execFileSync', 'execSync', 'spawnSync']);
syncBuiltinESMExports();

function guard<Name extends string>(owner: Record<Name, Start>, names: readonly Name[]): void {
  for (const name of names) {
    const start = owner[name];
    if (GUARDED in start) continue;
    const guarded = function (this: unknown, ...args: never[]): unknown {
      const path = expect.getState().testPath ?? '';
      if (MAY_START.test(path)) return start.apply(this, args);
      throw new Error(`A test that starts a process is in a file named *.process.test.ts: ${path}`);
    };
    owner[name] = Object.assign(guarded, { [GUARDED]: true }) as Start;
  }
}
