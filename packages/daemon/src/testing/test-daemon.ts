import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Role } from '@baton/protocol/wire';
import { onTestFinished } from 'vitest';
import { addUser } from '../access/add-user.ts';
import { giveToken } from '../access/give-token.ts';
import { type Daemon, type DaemonOptions, startDaemon } from '../start-daemon.ts';

export type Reply = { status: number; headers: Headers; body: Record<string, unknown> };

type Request = { body?: unknown; as?: string; headers?: Record<string, string> };

/** A daemon of one's own with a user of each role, and a way to call it. */
export class TestDaemon {
  readonly daemon: Daemon;
  readonly tokens: Readonly<Record<Role, string>>;

  constructor(daemon: Daemon, tokens: Readonly<Record<Role, string>>) {
    this.daemon = daemon;
    this.tokens = tokens;
  }

  /** Calls it over HTTP, as an owner unless told otherwise. */
  async call(verb: string, path: string, request: Request = {}): Promise<Reply> {
    const { body, as = this.tokens.owner, headers = {} } = request;
    const response = await fetch(`${this.daemon.url}${path}`, {
      method: verb,
      headers: {
        'Content-Type': 'application/json',
        ...(as ? { Authorization: `Bearer ${as}` } : {}),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const isJson = response.headers.get('Content-Type')?.includes('json');
    return {
      status: response.status,
      headers: response.headers,
      body: isJson ? JSON.parse(text) : { text },
    };
  }

  /** Begins a session and gives its id. */
  async session(): Promise<string> {
    const { body } = await this.call('POST', '/sessions', {
      body: { cwd: '/tmp', backend: 'demo' },
    });
    return String(body.session_id);
  }
}

/** Starts a daemon that is gone when the test is over. */
export async function testDaemon(options: Partial<DaemonOptions> = {}): Promise<TestDaemon> {
  const folder = mkdtempSync(join(tmpdir(), 'baton-service-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const daemon = await startDaemon({ folder, port: 0, logLevel: 'silent', ...options });
  onTestFinished(() => daemon.close());
  const tokenOf = async (role: Role) => {
    const { user_id: userId } = await addUser(daemon.store, { name: `the ${role}`, role });
    return (await giveToken(daemon.store, { userId, name: 't', kind: 'api', role })).secret;
  };
  return new TestDaemon(daemon, {
    viewer: await tokenOf('viewer'),
    member: await tokenOf('member'),
    owner: await tokenOf('owner'),
  });
}
