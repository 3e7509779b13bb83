import { readFileSync } from 'node:fs';

/** Watches a process from outside, and prints when it was gone, in milliseconds since 1970. */
const pid = process.argv[2];
const clock = new Int32Array(new SharedArrayBuffer(4));
console.log('watching');
while (isAlive()) Atomics.wait(clock, 0, 0, 1);
console.log(performance.timeOrigin + performance.now());

/** A main thread that has ended looks like the end of all, although the other threads are still at it. */
function isAlive(): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[0] !== 'Z' || Number(fields[17]) > 1;
  } catch {
    return false;
  }
}
