import { expect, test } from 'vitest';
import { testDaemon } from '../testing/test-daemon.ts';

/** Client timeouts of one connection attempt and of the pause before it, see the connection of the client. */
const RECONNECT_MS = 3000 + 100;

test.each([10_000, 30_000])(
  'a silent connection is noticed and replaced within a lease of %d ms',
  async (leaseMs) => {
    const { daemon } = await testDaemon({ leaseMs });
    const url = new URL('/socket.io/?EIO=4&transport=polling', daemon.url);
    const text = await (await fetch(url)).text();
    // Engine.IO puts the type of a packet in front of it.
    const { pingInterval, pingTimeout } = JSON.parse(text.slice(1));
    expect(pingInterval + pingTimeout).toBeLessThan(leaseMs / 2);
    expect(pingInterval + pingTimeout + RECONNECT_MS).toBeLessThan(leaseMs * 0.75);
  },
);
