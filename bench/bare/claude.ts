import type { Talk } from './agent.ts';

/** Says to Claude what Baton said to it, and waits for the result. */
export function claudeTalk(frames: readonly string[]): Talk {
  return {
    begin: (write) => frames.forEach((frame) => void write(frame)),
    read: ({ type }) => type === 'result',
  };
}
