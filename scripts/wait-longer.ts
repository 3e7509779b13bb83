import { vi } from 'vitest';

/** The shortest limit of a wait. Machines that are busy with other tests are slow, and a limit is no pause. */
const LIMIT_MS = 30_000;
const EXTENDED = Symbol.for('baton.extended');

type Wait = typeof vi.waitFor | typeof vi.waitUntil;
type Options = Parameters<Wait>[1];

// expect.poll has a setting for this, vi.waitFor has none. This is run for every file of tests, also where several share a process.
for (const name of ['waitFor', 'waitUntil'] as const) {
  const wait = vi[name] as (check: () => unknown, options: Options) => Promise<unknown>;
  if (EXTENDED in wait) continue;
  const extended = (check: () => unknown, options?: Options) => {
    const given = typeof options === 'number' ? { timeout: options } : options;
    return wait(check, { ...given, timeout: Math.max(given?.timeout ?? 0, LIMIT_MS) });
  };
  Object.assign(vi, { [name]: Object.assign(extended, { [EXTENDED]: true }) });
}
