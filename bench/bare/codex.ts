import type { Json, Talk } from './agent.ts';

/** Says to Codex's app server what Baton said to it, each request after the answer to the one before. */
export function codexTalk(recorded: readonly string[]): Talk {
  const frames = recorded.map((frame): Json => JSON.parse(frame));
  let next = 0;
  let awaited: unknown;
  const sendNext = (write: (frame: string) => void, threadId?: unknown) => {
    awaited = undefined;
    while (awaited === undefined && next < frames.length) {
      const frame = { ...frames[next++] };
      awaited = frame.id;
      if (frame.method === 'turn/start') frame.params = { ...object(frame.params), threadId };
      write(JSON.stringify(frame));
    }
  };
  return {
    begin: (write) => sendNext(write),
    read(frame, write) {
      if (frame.id !== undefined && frame.id === awaited) {
        sendNext(write, object(object(frame.result).thread).id);
      }
      return frame.method === 'turn/completed';
    },
  };
}

function object(value: unknown): Json {
  return typeof value === 'object' && value !== null ? (value as Json) : {};
}
