import { io } from 'socket.io-client';
import { describe, expect, onTestFinished, test } from 'vitest';
import { breakStore, type ExpectedError, errorForm } from '../testing/error-form.ts';
import { testDaemon } from '../testing/test-daemon.ts';

/** Calls a method, and gives the error that is answered. */
type Emit = (name: string, ...args: unknown[]) => Promise<unknown>;

type Case = ExpectedError & {
  as?: 'owner' | 'viewer' | 'nobody';
  send: (emit: Emit) => Promise<unknown>;
};

const CASES: Record<string, Case> = {
  'a field that is missing': {
    status: 400,
    code: 'usage',
    hint: 'data takes: cwd string; backend string; permission_mode?',
    send: (emit) => emit('create', 'sessions', { cwd: '/tmp' }),
  },
  'more arguments than a method has': {
    status: 400,
    code: 'usage',
    send: (emit) => emit('find', 'sessions', {}, {}),
  },
  'no token': {
    status: 401,
    code: 'unauthenticated',
    as: 'nobody',
    send: (emit) => emit('find', 'sessions', {}),
  },
  'what only others may do': {
    status: 403,
    code: 'forbidden',
    as: 'viewer',
    send: (emit) => emit('create', 'sessions', {}),
  },
  'an unknown id': {
    status: 404,
    code: 'not_found',
    send: (emit) => emit('get', 'sessions', 'nowhere'),
  },
  'an unknown service': {
    status: 404,
    code: 'not_found',
    hint: 'See /openapi.json for all',
    send: (emit) => emit('find', 'nothing', {}),
  },
  'a service without a name': {
    status: 404,
    code: 'not_found',
    send: (emit) => emit('find', null, {}),
  },
  'a method that the service does not have': {
    status: 405,
    code: 'usage',
    hint: 'See /openapi.json for how',
    send: (emit) => emit('remove', 'sessions', 'x'),
  },
  'a method that no service has': {
    status: 405,
    code: 'usage',
    send: (emit) => emit('dance', 'sessions', {}),
  },
  'a name that is taken': {
    status: 409,
    code: 'conflict',
    send: (emit) => emit('create', 'users', { name: 'the owner', role: 'viewer' }),
  },
  'too many guesses': {
    status: 429,
    code: 'too_many_requests',
    async send(emit) {
      for (;;) {
        const guess = { strategy: 'link', secret: 'wrong' };
        const error = await emit('create', 'authentication', guess);
        if ((error as { code: number }).code !== 401) return error;
      }
    },
  },
  'a mistake of the daemon': {
    status: 500,
    code: 'internal',
    send(emit) {
      breakStore();
      return emit('find', 'sessions', {});
    },
  },
};

describe('every error has the same form over a WebSocket', () => {
  test.each(Object.entries(CASES))('%s', async (_what, { as = 'owner', send, ...expected }) => {
    const { daemon, tokens } = await testDaemon();
    const token = as === 'nobody' ? '' : tokens[as];
    const socket = io(daemon.url, { transports: ['websocket'], auth: { token } });
    onTestFinished(() => void socket.close());
    const emit: Emit = (name, ...args) => {
      const { promise, resolve } = Promise.withResolvers<unknown>();
      socket.emit(name, ...args, resolve);
      return promise;
    };
    expect(await send(emit)).toEqual(errorForm(expected));
  });
});
