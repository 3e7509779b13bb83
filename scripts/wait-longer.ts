import { vi } from 'vitest';

/** Machines that are busy with other tests are slow. The limit of Vitest, one second, is an upper bound and no pause. */
const LIMIT_MS = 30_000;
const EXTENDED = Symbol.for('baton.extended');

type Wait = typeof vi.waitFor | typeof vi.waitUntil;
type Options = Parameters<Wait>[1];

// expect.poll has a setting for this, vi.waitFor has none. This is run for every file of tests, also where several share a process.
for (const name of ['waitFor', 'waitUntil'] as const) {
  const wait = vi[name] as (check: () => unknown, options: Options) => Promise<unknown>;
  if (EXTENDED in wait) continue;
  const extended = (check: () => unknown, options?: Options) => {
    const limit = typeof options === 'number' ? { timeout: options } : options;
    return wait(check, { timeout: LIMIT_MS, ...limit });
  };
  Object.assign(vi, { [name]: Object.assign(extended, { [EXTENDED]: true }) });
}
