import { join } from 'node:path';
import { BatonClient } from '@baton/client';
import type { LogEvent } from '@baton/protocol';
import { io } from 'socket.io-client';
import { Reporter } from '../../packages/executor/src/report/reporter.ts';
import { Spool } from '../../packages/executor/src/report/spool.ts';
import { Line } from './line.ts';
import type { Place } from './place.ts';

const SPOOL = {
  maxBytes: 256 * 1024 * 1024,
  batchBytes: 256 * 1024,
  maxEventBytes: 16 * 1024 * 1024,
};

/** From the report of each executor, through its spool and the daemon, to a follower of its session. */
export function daemonLines({ url, token, executors }: Place, folder: string): Line[] {
  return executors.map(({ sessionId, token: own }, index) => {
    const executor = new BatonClient({ url, token: own });
    const reporter = new Reporter({
      spool: new Spool(join(folder, `${index}.spool`), SPOOL),
      send: async (events) => ({ lastSeq: (await executor.messages.append(events)).last_seq }),
    });
    const follower = new BatonClient({ url, token });
    const closed = new AbortController();
    const line = new Line(sessionId, {
      send: (event) => void reporter.report(event),
      close() {
        closed.abort();
        executor.close();
        follower.close();
      },
    });
    void follow(follower.follow(sessionId, { signal: closed.signal }), line);
    return line;
  });
}

/** To a server that sends back what it gets, and back. */
export function echoLines({ url }: Place, count: number): Line[] {
  return Array.from({ length: count }, (_, index) => {
    const socket = io(url, { transports: ['websocket'], forceNew: true });
    const line = new Line(`echo ${index}`, {
      send: (event) => socket.emit('event', event),
      close: () => socket.close(),
    });
    socket.on('event', ({ seq }: { seq: number }) => line.came(seq));
    return line;
  });
}

async function follow(events: AsyncIterable<LogEvent>, line: Line): Promise<void> {
  for await (const event of events) if ('seq' in event) line.came(event.seq);
}
