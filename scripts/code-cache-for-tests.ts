import { mkdirSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Lets a home of a test have what earlier starts of the built command have kept, which halves what a start costs. */
export function shareCodeCache(home: string, main: string): void {
  const cache = join(dirname(main), 'cache');
  mkdirSync(cache, { recursive: true, mode: 0o700 });
  mkdirSync(join(home, '.baton'), { mode: 0o700 });
  symlinkSync(cache, join(home, '.baton/cache'));
}
