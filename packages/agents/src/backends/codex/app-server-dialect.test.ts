import { errorInfo } from '@baton/protocol/values';
import { describe, expect, test } from 'vitest';
import {
  ended,
  HELLO,
  item,
  opened,
  PROMPT,
  running,
  THREAD,
  TURN_STARTED,
  told,
} from './testing/app-server-stage.ts';

describe('the handshake', () => {
  test('runs step by step, and the prompt waits for its thread', () => {
    const stage = opened();
    stage.dialect.prompt?.(PROMPT);
    expect(stage.sent()).toMatchObject([{ id: 1, method: 'initialize' }]);
    stage.say(HELLO);
    expect(stage.sent()).toMatchObject([
      { method: 'initialized' },
      { id: 2, method: 'thread/start', params: { cwd: '/w' } },
    ]);
    stage.say(THREAD);
    expect(stage.sent()).toMatchObject([
      {
        id: 3,
        method: 'turn/start',
        params: {
          threadId: 'main',
          input: [{ type: 'text', text: 'Go.' }],
          sandboxPolicy: { type: 'dangerFullAccess' },
        },
      },
    ]);
    expect(stage.all('run.identified')[0]).toMatchObject({
      nativeSessionId: 'main',
      version: '0.166.0',
      model: 'gpt',
    });
  });

  test('a prompt that comes later starts at once, and names the session again', () => {
    const stage = opened().say(HELLO, THREAD);
    stage.sent();
    stage.dialect.prompt?.(PROMPT);
    expect(stage.sent()).toMatchObject([{ method: 'turn/start' }]);
    expect(stage.all('run.identified')).toHaveLength(2);
  });

  test('a key is sent, and the thread waits until it was accepted', () => {
    const stage = opened({ apiKey: 'sk' }).say(HELLO);
    expect(stage.sent().slice(1)).toMatchObject([
      { method: 'initialized' },
      { id: 2, method: 'account/login/start', params: { type: 'apiKey', apiKey: 'sk' } },
    ]);
    stage.say({ id: 2, result: { type: 'apiKey' } });
    expect(stage.sent()).toMatchObject([{ method: 'thread/start' }]);
  });

  test('a model that the run cannot use fails the prompt before it is sent', () => {
    const error = errorInfo('capability_missing', 'No price of gpt is known.');
    const stage = opened({ checkModel: (model) => (model === 'gpt' ? error : undefined) });
    stage.dialect.prompt?.(PROMPT);
    stage.say(HELLO, THREAD);
    expect(stage.verdicts).toMatchObject([{ outcome: 'failed', error }]);
    expect(stage.sent().map(({ method }) => method)).not.toContain('turn/start');
  });

  test('a thread that cannot be had fails this prompt and every later one', () => {
    const stage = opened();
    stage.dialect.prompt?.(PROMPT);
    stage.say(HELLO, { id: 2, error: { code: -32600, message: 'no rollout found for x' } });
    stage.dialect.prompt?.(PROMPT);
    expect(stage.verdicts.map(({ error }) => error?.code)).toEqual([
      'session_not_found',
      'session_not_found',
    ]);
  });

  test('a turn that is refused fails', () => {
    const stage = opened().say(HELLO, THREAD);
    stage.dialect.prompt?.(PROMPT);
    stage.say({ id: 3, error: { message: 'This chat uses a, but your current provider is b.' } });
    expect(stage.verdicts).toMatchObject([
      { outcome: 'failed', error: { code: 'config_invalid' } },
    ]);
  });

  test('images are passed as files or data', () => {
    const stage = opened().say(HELLO, THREAD);
    stage.sent();
    const images = [{ path: 'a.png' }, { data: 'AA', mimeType: 'image/png' }];
    stage.dialect.prompt?.({ text: 'Look.', images });
    expect(stage.sent()).toMatchObject([
      {
        params: {
          input: [
            { type: 'text' },
            { type: 'localImage', path: '/w/a.png' },
            { type: 'image', url: 'data:image/png;base64,AA' },
          ],
        },
      },
    ]);
  });
});

describe('an interrupt', () => {
  test('names the running turn', () => {
    const stage = running();
    expect(stage.dialect.interrupt?.()).toBe(true);
    expect(stage.sent()).toMatchObject([
      { method: 'turn/interrupt', params: { threadId: 'main', turnId: 'turn' } },
    ]);
    stage.say({ id: 4, result: {} }, ended('interrupted'));
    expect(stage.verdicts).toMatchObject([
      { outcome: 'cancelled', error: { code: 'interrupted' } },
    ]);
  });

  test('waits until the turn has started', () => {
    const stage = opened().say(HELLO, THREAD);
    stage.dialect.prompt?.(PROMPT);
    stage.sent();
    expect(stage.dialect.interrupt?.()).toBe(true);
    expect(stage.sent()).toEqual([]);
    stage.say(TURN_STARTED);
    expect(stage.sent()).toMatchObject([{ method: 'turn/interrupt' }]);
  });

  test('of a prompt that still waits for its thread ends it', () => {
    const stage = opened();
    stage.dialect.prompt?.(PROMPT);
    expect(stage.dialect.interrupt?.()).toBe(true);
    expect(stage.verdicts).toMatchObject([{ outcome: 'cancelled' }]);
    stage.say(HELLO, THREAD);
    expect(stage.sent().map(({ method }) => method)).not.toContain('turn/start');
  });

  test('of nothing has no effect, and a late one emits nothing', () => {
    const stage = running().say(ended('completed'));
    expect(stage.dialect.interrupt?.()).toBe(false);
    const before = stage.drafts.length;
    stage.dialect.prompt?.(PROMPT);
    stage.say(TURN_STARTED);
    stage.dialect.interrupt?.();
    const { id } = stage.sent().at(-1) ?? {};
    stage.say({ id, error: { message: 'no active turn to interrupt' } });
    expect(stage.drafts.slice(before).map(({ type }) => type)).toEqual(['run.identified']);
  });
});

describe('steering', () => {
  test('goes to the running turn, and waits for one that has not started', () => {
    const stage = opened().say(HELLO, THREAD);
    stage.dialect.prompt?.(PROMPT);
    stage.dialect.steer?.('Left.');
    stage.sent();
    stage.say(TURN_STARTED);
    stage.dialect.steer?.('Right.');
    expect(stage.sent()).toMatchObject([
      { method: 'turn/steer', params: { expectedTurnId: 'turn', input: [{ text: 'Left.' }] } },
      { method: 'turn/steer', params: { expectedTurnId: 'turn', input: [{ text: 'Right.' }] } },
    ]);
  });

  test('that is rejected is reported', () => {
    const stage = running();
    stage.dialect.steer?.('Left.');
    const { id } = stage.sent()[0] ?? {};
    stage.say({ id, error: { message: 'no active turn to steer' } });
    expect(stage.all('notice')[0]?.message).toContain('no active turn to steer');
  });
});

test('a turn that Codex starts itself is not mistaken for the requested one', () => {
  const own = (method: string) => told(method, { turn: { id: 'own', status: 'completed' } });
  const stage = running().say(ended('completed'), own('turn/started'), own('turn/completed'));
  expect(stage.verdicts).toHaveLength(1);
  stage.dialect.prompt?.(PROMPT);
  const { id } = stage.sent().at(-1) ?? {};
  stage.say({ id, result: { turn: { id: 'next' } } }, own('turn/started'), own('turn/completed'));
  expect(stage.verdicts).toHaveLength(1);
  stage.say(told('turn/completed', { turn: { id: 'next', status: 'completed' } }));
  expect(stage.verdicts).toHaveLength(2);
});

describe('the end of a turn', () => {
  const LONG = { type: 'commandExecution', id: 'call', command: 'sleep 60' };

  test('leaves a running command in the background, and reports its end', () => {
    const stage = running().say(item('started', LONG), ended('completed'));
    expect(stage.all('tool.completed')).toMatchObject([
      { outcome: 'ok', synthetic: true, action: { background: true } },
    ]);
    stage.say(item('completed', { ...LONG, exitCode: 0, status: 'completed' }));
    expect(stage.all('tool.completed')).toHaveLength(1);
    expect(stage.all('notice').map(({ code }) => code)).toEqual([
      'background_task',
      'background_task',
    ]);
  });

  test('that was interrupted leaves its tools to the recorder, and late news of them is none', () => {
    const stage = running().say(item('started', LONG), ended('interrupted'));
    stage.say(item('completed', { ...LONG, status: 'failed' }));
    expect(stage.all('tool.completed')).toEqual([]);
  });

  test('that failed has the typed error', () => {
    const error = { message: 'Too long.', codexErrorInfo: 'contextWindowExceeded' };
    const stage = running().say(ended('failed', error));
    expect(stage.verdicts[0]?.error).toMatchObject({
      code: 'context_too_long',
      message: 'Too long.',
    });
  });

  test('that never comes is judged by the last error, or by how the process ended', () => {
    const stage = running();
    expect(stage.dialect.end({ code: 1, stderr: 'Error: broken' })?.error).toMatchObject({
      code: 'agent_crashed',
      message: 'Error: broken',
    });
    const error = { message: 'Quota exceeded.', codexErrorInfo: 'usageLimitExceeded' };
    stage.say(told('error', { error, willRetry: false }));
    expect(stage.dialect.end({ code: 0, stderr: '' })?.error?.code).toBe('quota_exhausted');
    expect(stage.dialect.end({ signal: 'SIGKILL', stderr: '' })?.error?.code).toBe('agent_crashed');
  });

  test('emits nothing when the process exits after it', () => {
    const stage = running().say(ended('completed'));
    expect(stage.dialect.end({ code: 0, stderr: '' })).toBeUndefined();
  });
});

test('what others print among the messages is a notice, and a blank line nothing', () => {
  const stage = running().say('', 'npm warn x', '{"neither":"this"}');
  expect(stage.all('notice')).toMatchObject([{ code: 'text', message: 'npm warn x' }]);
  expect(stage.all('unparsed').map(({ line }) => line)).toEqual(['{"neither":"this"}']);
});

test('the end of a turn that names neither thread nor turn ends the one of the run', () => {
  const turn = { status: 'completed', error: null };
  const stage = running().say({ method: 'turn/completed', params: { turn } });
  expect(stage.verdicts).toMatchObject([{ outcome: 'done' }]);
});

test('a command that ends without its text keeps the initial one', () => {
  const command = { type: 'commandExecution', id: 'exec-1', command: 'ls', cwd: '/w' };
  const end = { type: 'commandExecution', id: 'exec-1', status: 'completed', exitCode: 0 };
  const stage = running().say(item('started', command), item('completed', end));
  expect(stage.all('tool.completed')).toMatchObject([
    { action: { command: 'ls', cwd: '/w', exitCode: 0 } },
  ]);
});
