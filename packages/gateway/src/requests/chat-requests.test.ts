import {
  type AgentEvent,
  BatonError,
  type PendingRequest,
  type PermissionRequest,
  type Question,
  type RequestAnswer,
} from '@baton/protocol';
import { describe, expect, test, vi } from 'vitest';
import type { Turn } from '../queue/message-queue.ts';
import { CHANNEL, ScriptedChannel, USER } from '../testing/scripted-channel.ts';
import { testTurn } from '../testing/turn.ts';
import { readButton } from './button-values.ts';
import { ChatRequests, type ChatRequestsOptions } from './chat-requests.ts';

type WorldOptions = Partial<ChatRequestsOptions> & {
  chat?: ScriptedChannel;
  turn?: Turn;
};

/** One run that asks in one channel. */
function world({
  chat = new ScriptedChannel(),
  turn: run = testTurn(),
  ...options
}: WorldOptions = {}) {
  const warnings: string[] = [];
  const log = { warn: (warning: string) => void warnings.push(warning) };
  const requests = new ChatRequests({ timeoutMs: 0, showAfterMs: 0, log, ...options });
  const silence = new AbortController();
  const cwd = '/workspace';
  const turn = requests.forTurn({
    ...{ adapter: chat, channelId: CHANNEL, messageId: 'm1', turn: run, cwd },
    silence: silence.signal,
  });
  const sender = { userId: USER, userName: 'Ada', channelId: CHANNEL, isDirect: false };
  /** Presses the newest button with a label; false if it has expired. */
  const press = (label: string, by: { userName?: string; channelId?: string } = {}): boolean => {
    const shown = chat
      .shown()
      .findLast(({ buttons }) => buttons.some((each) => each.label === label));
    const value = shown?.buttons.find((each) => each.label === label)?.value;
    if (!shown || value === undefined) throw new Error(`no button ${label}`);
    return pressValue(value, shown.id, by);
  };
  const pressValue = (value: string, messageId = 'x', by = {}): boolean => {
    const button = readButton(value);
    if (button?.kind !== 'request') throw new Error(`not a request: ${value}`);
    const from = { ...sender, messageId, value, acknowledge: async () => {}, ...by };
    return requests.press(from, button.key, button.choice);
  };
  const type = (text: string, more: { channelId?: string; files?: [] } = {}): boolean =>
    requests.type({ ...sender, messageId: 'm2', text, files: [], ...more });
  /** Asks, and waits until the question is shown. */
  const ask = async (pending: PendingRequest) => {
    const settled = new AbortController();
    const count = chat.shown().length;
    const answer = turn.ask(pending, settled.signal);
    answer.catch(() => {});
    await vi.waitFor(() => expect(chat.shown().length).toBeGreaterThan(count));
    return { answer, settled };
  };
  /** Emits the agent's event that settles a request. */
  const resolve = (answer: RequestAnswer, requestId = 'r1') => {
    const { by = 'person' } = answer;
    const base = { seq: 1, time: 1, runId: 'r', requestId, by };
    const event =
      'decision' in answer
        ? { ...base, type: 'permission.resolved', ...answer, by }
        : { ...base, type: 'question.resolved', ...answer, by };
    turn.settled(event as AgentEvent);
  };
  const shows = (text: string) =>
    vi.waitFor(() => expect(chat.texts().join('\n---\n')).toContain(text));
  const labels = () =>
    chat
      .shown()
      .at(-1)
      ?.buttons.map(({ label }) => label);
  return {
    ...{ chat, requests, turn, silence, warnings, press, pressValue, type, ask, resolve },
    ...{ shows, labels },
  };
}

function permission(changes: Partial<PermissionRequest> = {}): PendingRequest {
  const action = { type: 'command', command: 'rm -r build' } as const;
  const request = { requestId: 'r1', tool: 'shell', action, scopes: ['once' as const], ...changes };
  return { kind: 'permission', request };
}

function question(...questions: Partial<Question>[]): PendingRequest {
  const whole = questions.map((each, index) => ({
    ...{ id: `q${index}`, question: 'Tea or coffee?' },
    options: [{ label: 'Tea' }, { label: 'Coffee' }],
    ...each,
  }));
  return { kind: 'question', request: { requestId: 'r1', questions: whole } };
}

const DOWN = () => new BatonError('provider_error', 'The platform is down.');

describe('a permission request', () => {
  test('shows what the agent wants to do, as a reply to its message', async () => {
    const { chat, ask, labels } = world();
    await ask(permission());
    expect(chat.shown()).toMatchObject([
      { text: '🔒 Allow `$ rm -r build`?\n```\nrm -r build\n```', replyTo: 'm1' },
    ]);
    expect(labels()).toEqual(['Allow once', 'Deny']);
  });

  test.each([
    ['Allow once', 'once', 'Allowed once by Ada'],
    ['Allow for this session', 'session', 'Allowed for this session by Ada'],
    ['Always allow', 'always', 'Allowed always by Ada'],
  ])('can be answered with "%s"', async (label, scope, outcome) => {
    const { chat, ask, press, resolve, shows } = world();
    const { answer } = await ask(permission({ scopes: ['once', 'session', 'always'] }));
    expect(press(label)).toBe(true);
    expect(await answer).toEqual({ decision: 'allow', scope });
    resolve(await answer);
    await shows(outcome);
    expect(chat.shown()[0]?.buttons).toEqual([]);
  });

  test('can be denied', async () => {
    const { ask, press, resolve, chat, shows } = world();
    const { answer } = await ask(permission());
    press('Deny');
    expect(await answer).toEqual({ decision: 'deny', reason: 'Denied in the chat.' });
    resolve(await answer);
    await shows('🚫 Denied by Ada\n🔒 Allow');
    expect(chat.shown()[0]?.buttons).toEqual([]);
  });

  test('takes the first answer only', async () => {
    const { ask, chat, pressValue } = world();
    const { answer } = await ask(permission());
    const { id, buttons: [allow, deny] = [] } = chat.shown()[0] ?? {};
    expect(pressValue(allow?.value ?? '', id)).toBe(true);
    expect(pressValue(deny?.value ?? '', id)).toBe(false);
    expect(await answer).toMatchObject({ decision: 'allow' });
  });

  test('cannot be answered from another channel, nor with another choice', async () => {
    const { ask, chat, press, pressValue } = world();
    const { answer, settled } = await ask(permission());
    expect(press('Allow once', { channelId: 'test:other' })).toBe(false);
    const { id, buttons: [first] = [] } = chat.shown()[0] ?? {};
    const key = first?.value.split(':')[1];
    expect(pressValue(`request:${key}:always`, id)).toBe(true);
    expect(pressValue(`request:${key}:__proto__`, id)).toBe(true);
    expect(pressValue('request:guessed:once', id)).toBe(false);
    expect(pressValue(first?.value ?? '', 'another-message')).toBe(false);
    expect(chat.shown()[0]?.buttons).toHaveLength(2);
    settled.abort();
    await expect(answer).rejects.toThrow('no answer any more');
  });

  test('is not answered by a text', async () => {
    const { ask, type } = world();
    await ask(permission());
    expect(type('Allow once')).toBe(false);
  });

  test('that is settled elsewhere is closed, and says so', async () => {
    const { ask, chat, resolve, shows, pressValue } = world();
    const { answer, settled } = await ask(permission());
    const [{ value } = { value: '' }] = chat.shown()[0]?.buttons ?? [];
    settled.abort();
    resolve({ decision: 'allow', scope: 'always' });
    await expect(answer).rejects.toThrow();
    await shows('✅ Allowed always elsewhere');
    expect(chat.shown()[0]?.buttons).toEqual([]);
    expect(pressValue(value)).toBe(false);
  });

  test('that is settled while it is being sent is closed as soon as it was sent', async () => {
    const { chat, turn, resolve, shows } = world();
    const release = chat.hold('send');
    const settled = new AbortController();
    const answer = turn.ask(permission(), settled.signal);
    await vi.waitFor(() => expect(chat.calls).toHaveLength(1));
    settled.abort();
    resolve({ decision: 'deny', by: 'stop' });
    await expect(answer).rejects.toThrow();
    release();
    await shows('⏹️ No longer needed');
    expect(chat.shown()[0]?.buttons).toEqual([]);
  });

  test('that is settled at once, such as by a rule, is not shown', async () => {
    const { chat, turn, resolve } = world({ showAfterMs: 600_000 });
    const settled = new AbortController();
    const answer = turn.ask(permission(), settled.signal);
    settled.abort();
    await expect(answer).rejects.toThrow();
    resolve({ decision: 'allow', by: 'policy' });
    expect(chat.calls).toEqual([]);
  });

  test('that is answered before the platform has confirmed it counts', async () => {
    const { chat, turn, pressValue, resolve, shows } = world();
    const release = chat.hold('send');
    const { send } = chat;
    let value = '';
    chat.send = (channelId, message, nonce) => {
      value = message.buttons?.[0]?.[0]?.value ?? '';
      return send.call(chat, channelId, message, nonce);
    };
    const answer = turn.ask(permission(), new AbortController().signal);
    await vi.waitFor(() => expect(value).not.toBe(''));
    expect(pressValue(value)).toBe(true);
    expect(await answer).toMatchObject({ decision: 'allow' });
    resolve(await answer);
    release();
    await shows('✅ Allowed once by Ada');
  });

  test('is denied when nobody has answered in time', async () => {
    const { ask, resolve, shows } = world({ timeoutMs: 20 });
    const { answer } = await ask(permission());
    expect(await answer).toMatchObject({ decision: 'deny', by: 'timeout' });
    resolve(await answer);
    await shows('🚫 Denied because no one answered in time');
  });

  test('is denied when nobody is left to answer', async () => {
    for (const timeoutMs of [0, 600_000]) {
      const { ask, silence, resolve, shows } = world({ timeoutMs });
      const { answer } = await ask(permission());
      silence.abort();
      expect(await answer).toMatchObject({ decision: 'deny', by: 'nobody' });
      // As a daemon reports it.
      resolve({ decision: 'deny', by: 'person' });
      await shows('🚫 Denied because no one was there to ask');
    }
  });

  test('is sent again until the platform takes it', async () => {
    const { chat, ask, press } = world();
    chat.fail('send', DOWN());
    const { answer } = await ask(permission());
    press('Allow once');
    expect(await answer).toMatchObject({ decision: 'allow' });
    expect(chat.calls.map(({ kind }) => kind)).toEqual(['send', 'send']);
  });

  test('fails if the platform refuses it', async () => {
    const { chat, turn } = world();
    chat.fail('send', new BatonError('forbidden', 'The bot lacks a permission.'));
    const asked = turn.ask(permission(), new AbortController().signal);
    await expect(asked).rejects.toThrow('The bot lacks a permission.');
  });

  test('has the same buttons after a restart, and other ones in another run', async () => {
    const values = async (turnId: string) => {
      const { chat, ask } = world({ turn: testTurn([], turnId) });
      await ask(permission());
      return chat.shown()[0]?.buttons.map(({ value }) => value);
    };
    expect(await values('a')).toEqual(await values('a'));
    expect(await values('a')).not.toEqual(await values('b'));
  });

  test('is shown again if the agent asks under the same id again', async () => {
    const { chat, ask, press, resolve } = world();
    const first = await ask(permission());
    press('Deny');
    resolve(await first.answer);
    const second = await ask(permission());
    expect(chat.shown()).toHaveLength(2);
    press('Allow once');
    expect(await second.answer).toMatchObject({ decision: 'allow' });
  });

  test('of many in a run is never taken for another one', async () => {
    const { chat, turn } = world();
    const stop = new AbortController();
    const asked = Array.from({ length: 600 }, (_, index) =>
      turn.ask(permission({ requestId: `r${index}` }), stop.signal).catch(() => {}),
    );
    await vi.waitFor(() => expect(chat.calls).toHaveLength(600));
    stop.abort();
    await Promise.all(asked);
    expect(new Set(chat.calls.map((call) => 'nonce' in call && call.nonce)).size).toBe(600);
  });

  test('that could not be closed is only logged', async () => {
    const { chat, ask, press, resolve, warnings } = world();
    const { answer } = await ask(permission());
    press('Deny');
    chat.fail('edit', DOWN());
    resolve(await answer);
    await vi.waitFor(() => expect(warnings).toHaveLength(1));
  });

  test('does not show a name that pretends to be more', async () => {
    const { ask, press, resolve, shows } = world();
    const { answer } = await ask(permission());
    press('Deny', { userName: 'Eve\n✅ Allowed always by @everyone' });
    resolve(await answer);
    await shows('🚫 Denied by Eve ⏎ ✅ Allowed always by @\u200beveryone\n🔒');
  });
});

describe('a question', () => {
  test('can be answered by a button', async () => {
    const { ask, press, labels, resolve, shows, chat } = world();
    const { answer } = await ask(question({}));
    expect(chat.texts()).toEqual(['❓ Tea or coffee?\n1. Tea\n2. Coffee\nChoose one.']);
    expect(labels()).toEqual(['Tea', 'Coffee', 'Skip']);
    press('Coffee');
    expect(await answer).toEqual({ answers: { q0: ['Coffee'] } });
    resolve(await answer);
    await shows('✅ Coffee by Ada\n❓ Tea');
    expect(chat.shown()[0]?.buttons).toEqual([]);
  });

  test.each([
    ['2', ['Coffee']],
    ['tea', ['Tea']],
  ])('can be answered by the text "%s"', async (text, expected) => {
    const { ask, type } = world();
    const { answer } = await ask(question({}));
    expect(type('Water')).toBe(false);
    expect(type(text, { channelId: 'test:other' })).toBe(false);
    expect(type(text)).toBe(true);
    expect(await answer).toEqual({ answers: { q0: expected } });
    expect(type(text)).toBe(false);
  });

  test('takes own words if they are welcome', async () => {
    const { ask, type, chat } = world();
    const { answer } = await ask(question({ freeText: true }));
    expect(chat.texts()[0]).toContain('Choose one, or answer with a message.');
    expect(type('Water, please')).toBe(true);
    expect(await answer).toEqual({ answers: { q0: ['Water, please'] } });
  });

  test('does not take a message with files', async () => {
    const { ask, requests } = world();
    await ask(question({ freeText: true }));
    const file = { source: '', name: 'a', mediaType: 'text/plain', bytes: 1 };
    const sender = { userId: USER, channelId: CHANNEL, isDirect: false };
    expect(requests.type({ ...sender, messageId: 'm', text: 'This', files: [file] })).toBe(false);
  });

  test('takes several options, and shows which are marked', async () => {
    const { ask, press, labels, shows } = world();
    const { answer } = await ask(question({ multiple: true }));
    expect(labels()).toEqual(['Tea', 'Coffee', 'Done', 'Skip']);
    press('Done');
    press('Coffee');
    await vi.waitFor(() => expect(labels()).toEqual(['Tea', '✓ Coffee', 'Done', 'Skip']));
    press('✓ Coffee');
    await vi.waitFor(() => expect(labels()).toEqual(['Tea', 'Coffee', 'Done', 'Skip']));
    press('Coffee');
    press('Tea');
    press('Done');
    expect(await answer).toEqual({ answers: { q0: ['Coffee', 'Tea'] } });
    await shows('Tea or coffee?');
  });

  test('can be skipped', async () => {
    const { ask, press, resolve, shows } = world();
    const { answer } = await ask(question({}));
    press('Skip');
    expect(await answer).toEqual({ declined: true, reason: 'Declined in the chat.' });
    resolve(await answer);
    await shows('🚫 Not answered by Ada');
  });

  test('of several follows the answer to the one before, whose buttons are removed', async () => {
    const { ask, press, type, chat, resolve, shows } = world();
    const { answer } = await ask(question({}, { question: 'Milk?', options: [] }));
    press('Tea');
    await shows('✅ Tea by Ada\n❓ Tea or coffee?');
    await shows('❓ Milk?\nAnswer with a message.');
    expect(chat.shown()[0]?.buttons).toEqual([]);
    expect(type('A little')).toBe(true);
    expect(await answer).toEqual({ answers: { q0: ['Tea'], q1: ['A little'] } });
    resolve(await answer);
    await shows('✅ Tea, A little by Ada\n❓ Milk?');
    expect(chat.shown()).toHaveLength(2);
  });

  test('with too many options for buttons is answered by a number', async () => {
    const { ask, labels, type } = world();
    const options = Array.from({ length: 40 }, (_, index) => ({ label: `Option ${index + 1}` }));
    const { answer } = await ask(question({ options }));
    expect(labels()).toEqual(['Skip']);
    expect(type('40')).toBe(true);
    expect(await answer).toEqual({ answers: { q0: ['Option 40'] } });
  });

  test('with options of any length has valid buttons', async () => {
    const { ask, labels } = world();
    await ask(question({ options: [{ label: '' }, { label: 'x'.repeat(500) }] }));
    expect(labels()).toEqual(['1', `${'x'.repeat(79)}…`, 'Skip']);
  });

  test('is declined when nobody has answered in time, or is left', async () => {
    const timed = world({ timeoutMs: 20 });
    const first = await timed.ask(question({}));
    expect(await first.answer).toMatchObject({ declined: true, by: 'timeout' });
    const left = world();
    const second = await left.ask(question({}));
    left.silence.abort();
    expect(await second.answer).toMatchObject({ declined: true, by: 'nobody' });
  });
});

test('a press waits for a run that is joined again', async () => {
  const { turn, requests, chat } = world({ reopenMs: 60_000 });
  const key = readKey(await firstKey());
  const opened = requests.opened(key);
  void turn.ask(permission(), new AbortController().signal).catch(() => {});
  await opened;
  expect(chat.shown()).toHaveLength(1);

  /** The key of the same request, as the process before this one sent it. */
  async function firstKey(): Promise<string> {
    const before = world();
    await before.ask(permission());
    return before.chat.shown().at(-1)?.buttons[0]?.value ?? '';
  }

  function readKey(value: string): string {
    const button = readButton(value);
    if (button?.kind !== 'request') throw new Error(`not a request: ${value}`);
    return button.key;
  }
});

test('a press does not wait for a request that stays closed', async () => {
  await world().requests.opened('gone');
  await world({ reopenMs: 1 }).requests.opened('gone');
});

describe('a request that an earlier process showed', () => {
  async function shownBefore() {
    const chat = new ScriptedChannel();
    const run = testTurn();
    await world({ chat, turn: run }).ask(permission());
    await vi.waitFor(() => expect(Object.keys(run.asked)).toHaveLength(1));
    return { chat, run };
  }

  test('is shown once, and its buttons work again', async () => {
    const { chat, run } = await shownBefore();
    const { turn, press } = world({ chat, turn: run });
    const answer = turn.ask(permission(), new AbortController().signal);
    await vi.waitFor(() => expect(press('Allow once')).toBe(true));
    expect(await answer).toMatchObject({ decision: 'allow' });
    expect(chat.shown()).toHaveLength(1);
  });

  test('loses its buttons if it was settled meanwhile', async () => {
    const { chat, run } = await shownBefore();
    const { turn, resolve, shows } = world({ chat, turn: run, showAfterMs: 60_000 });
    const settled = new AbortController();
    turn.ask(permission(), settled.signal).catch(() => {});
    resolve({ decision: 'allow' });
    settled.abort();
    await shows('Allowed once elsewhere');
    expect(chat.shown()).toMatchObject([{ buttons: [] }]);
  });

  test('is shown again if someone deleted it', async () => {
    const { chat, run } = await shownBefore();
    chat.delete(chat.shown()[0]?.id ?? '');
    const { turn } = world({ chat, turn: run });
    turn.ask(permission(), new AbortController().signal).catch(() => {});
    await vi.waitFor(() => expect(chat.shown()).toHaveLength(1));
  });
});
