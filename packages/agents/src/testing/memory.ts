import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** The bytes that are really in use, after everything that can go is gone. */
export function heapInUse(): number {
  collect();
  return process.memoryUsage().heapUsed;
}
