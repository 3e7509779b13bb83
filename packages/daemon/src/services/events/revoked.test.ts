import { expect, test, vi } from 'vitest';
import { testDaemon } from '../../testing/test-daemon.ts';

test.each(['events', 'news'])(
  'a long poll of %s returns nothing when its token is revoked meanwhile',
  async (service) => {
    const daemon = await testDaemon();
    const session_id = await daemon.session();
    const { body: token } = await daemon.call('POST', '/tokens', {
      body: { name: 't', role: 'viewer' },
    });
    const as = String(token.secret);
    const { after } = (await daemon.call('GET', '/news', { as })).body;
    const query = service === 'events' ? `session_id=${session_id}&after=1` : `after=${after}`;
    const whoShows = vi.spyOn(daemon.daemon.store.records.tokens, 'find');
    const polled = daemon.call('GET', `/${service}?${query}&wait=20000`, { as });
    await vi.waitFor(() => expect(whoShows).toHaveBeenCalled());
    await daemon.call('DELETE', `/tokens/${token.token_id}`);
    await daemon.call('PATCH', `/sessions/${session_id}`, { body: { title: 'A secret' } });
    const { status, body } = await polled;
    expect(status).toBe(401);
    expect(JSON.stringify(body)).not.toContain('A secret');
  },
);
