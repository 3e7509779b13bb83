import { describe, expect, test } from 'vitest';
import { setCheapPassword } from '../../testing/cheap-password.ts';
import { testDaemon } from '../../testing/test-daemon.ts';

describe('a password', () => {
  const changed = { password: 'a new password' };

  test('is not changed with a token that allows less than its user', async () => {
    const daemon = await testDaemon();
    const made = await daemon.call('POST', '/tokens', { body: { name: 'x', role: 'viewer' } });
    const as = String(made.body.secret);
    expect((await daemon.call('PATCH', '/users/me', { as, body: changed })).status).toBe(403);
    // But a viewer chooses the own one.
    const { viewer } = daemon.tokens;
    const own = await daemon.call('PATCH', '/users/me', { as: viewer, body: changed });
    expect(own.status).toBe(200);
  });

  test('is changed with the one before, and ends the other logins', async () => {
    const daemon = await testDaemon();
    await setCheapPassword(daemon.daemon.store, 'the owner', 'the first one');
    const credentials = { strategy: 'password', name: 'the owner', password: 'the first one' };
    const login = async () => {
      const { body } = await daemon.call('POST', '/authentication', { as: '', body: credentials });
      return String(body.accessToken);
    };
    const [here, elsewhere] = [await login(), await login()];
    const change = (body: object) => daemon.call('PATCH', '/users/me', { as: here, body });
    expect((await change(changed)).status).toBe(403);
    expect((await change({ ...changed, current_password: 'wrong' })).status).toBe(403);
    expect((await change({ ...changed, current_password: 'the first one' })).status).toBe(200);
    expect((await daemon.call('GET', '/users/me', { as: here })).status).toBe(200);
    expect((await daemon.call('GET', '/users/me', { as: elsewhere })).status).toBe(401);
  });
});

describe('a user', () => {
  test('cannot take the name of another user, but keep its own', async () => {
    const daemon = await testDaemon();
    const rename = (name: string) => daemon.call('PATCH', '/users/me', { body: { name } });
    expect(await rename('the member')).toMatchObject({
      status: 409,
      body: { data: { hint: 'Choose another name.' } },
    });
    expect((await rename('the owner')).status).toBe(200);
    expect((await rename('somebody')).status).toBe(200);
  });

  test('a new role applies immediately to logged-in users; a script token keeps its role', async () => {
    const daemon = await testDaemon();
    const { body: made } = await daemon.call('POST', '/users', {
      body: { name: 'Noor', role: 'viewer' },
    });
    const credentials = { strategy: 'link', secret: made.link_secret };
    const { body } = await daemon.call('POST', '/authentication', { as: '', body: credentials });
    const login = String(body.accessToken);
    const token = await daemon.call('POST', '/tokens', { as: login, body: { name: 'x' } });
    const begin = async (as: string) => {
      const session = { cwd: '/tmp', backend: 'demo' };
      return (await daemon.call('POST', '/sessions', { as, body: session })).status;
    };
    expect(await begin(login)).toBe(403);
    await daemon.call('PATCH', `/users/${made.user_id}`, { body: { role: 'member' } });
    expect(await begin(login)).toBe(201);
    expect(await begin(String(token.body.secret))).toBe(403);
    await daemon.call('PATCH', `/users/${made.user_id}`, { body: { role: 'viewer' } });
    expect(await begin(login)).toBe(403);
  });

  test('the last owner who can log in stays an owner', async () => {
    const daemon = await testDaemon();
    const owners = await daemon.daemon.store.records.users.find({ where: { role: 'owner' } });
    const me = (await daemon.call('GET', '/users/me')).body.user_id;
    const other = owners.find(({ user_id }) => user_id !== me)?.user_id;
    const change = async (id: unknown, body: object) =>
      (await daemon.call('PATCH', `/users/${id}`, { body })).status;
    expect(await change(other, { disabled: true })).toBe(200);
    expect(await change(me, { role: 'member' })).toBe(409);
    expect(await change(other, { role: 'member' })).toBe(200);
  });
});
