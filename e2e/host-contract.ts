import { randomUUID } from 'node:crypto';
import type { AgentEvent, Host } from '@baton/protocol';
import { describe, expect, test } from 'vitest';
import { script } from './run-contract.ts';

export type HostStarter = {
  host(): Host;
  /** The folder that agents work in. */
  cwd(): string;
  /** True if the host has a store. */
  keepsRuns: boolean;
};

/** The contract of a host: the same for this process and for a daemon. */
export function hostContract(name: string, { host, cwd, keepsRuns }: HostStarter): void {
  const request = (prompt: string) => ({ backend: 'demo', cwd: cwd(), prompt });

  describe(`${name}: checks`, () => {
    test('accept an agent that is there, and reject an unknown one', async () => {
      await host().check({ backend: 'demo', cwd: cwd() });
      await expect(host().check({ backend: 'nothing', cwd: cwd() })).rejects.toMatchObject({
        code: 'backend_unknown',
      });
    });

    test('tell the trust in a folder', async () => {
      expect(await host().trustOf({ backend: 'demo', cwd: cwd() })).toMatchObject({ settings: [] });
    });
  });

  describe(`${name}: runs`, () => {
    test('are rejected for an unknown agent', async () => {
      const unknown = { ...request('Hi'), backend: 'nothing' };
      await expect(host().launch(unknown)).rejects.toMatchObject({ code: 'backend_unknown' });
    });

    test('continue a session', async () => {
      const place = host();
      const first = await place.launch(request(script({ say: 'One.' })));
      const { nativeSessionId } = await first.run.collect();
      const session = first.sessionId ?? nativeSessionId;
      expect(session).toBeDefined();
      const again = request(script({ say: 'Two.' }));
      const second = await place.launch({ ...again, session });
      const { output, nativeSessionId: same } = await second.run.collect();
      expect([output, same]).toEqual(['Two.', nativeSessionId]);
    });
  });

  if (!keepsRuns) return;

  describe(`${name}: kept runs`, () => {
    const ids = () => ({ sessionId: randomUUID(), taskId: randomUUID() });
    const launch = (place: Host, prompt: string, { sessionId, taskId } = ids()) =>
      place.launch({ ...request(prompt), newSession: sessionId, taskId });

    test('run once, however often they are launched', async () => {
      const place = host();
      const both = ids();
      const prompt = script({ say: 'Once.' });
      const [one, two] = [
        await launch(place, prompt, both),
        await launch(place, prompt, both),
      ] as const;
      const [first, second] = await Promise.all([read(one.run), read(two.run)]);
      expect(first.at(-1)).toMatchObject({ type: 'run.completed', output: 'Once.' });
      expect(second).toEqual(first);
      expect(one.sessionId).toBe(both.sessionId);
    });

    test('can be found and joined after their end', async () => {
      const place = host();
      const both = ids();
      expect(await place.find(both)).toEqual({ state: 'not_started' });
      const { run } = await launch(place, script({ say: 'Kept.' }), both);
      const events = await read(run);
      expect(await place.find(both)).toEqual({ state: 'ended' });
      expect(await read((await place.join(both)).run)).toEqual(events);
    });

    test('are stopped by their ids', async () => {
      const place = host();
      const both = ids();
      const { run } = await launch(place, script({ say: 'Hello.' }, { stall: true }), both);
      for await (const event of run) {
        if (event.type === 'message.completed') {
          expect(await place.find(both)).toEqual({ state: 'running' });
          void place.stop(both, 'Enough.');
        }
      }
      expect((await run.result).outcome).toBe('cancelled');
      expect((await place.stop(both)).outcome).toBe('cancelled');
    });

    test('end for the one who leaves them', async () => {
      const { run, leave } = await launch(host(), script({ say: 'Hello.' }, { stall: true }));
      const seen: string[] = [];
      for await (const event of run) {
        seen.push(event.type);
        if (event.type === 'message.completed') leave();
      }
      expect(seen).not.toContain('run.completed');
      expect(await run.result).toMatchObject({ outcome: 'failed', error: { code: 'interrupted' } });
    });
  });
}

async function read(run: AsyncIterable<AgentEvent>): Promise<AgentEvent[]> {
  const events: AgentEvent[] = [];
  for await (const event of run) events.push(event);
  return events;
}
