import { BatonError } from '@baton/protocol';
import type { StoredMessage } from '@baton/store';
import { describe, expect, test, vi } from 'vitest';
import type { ButtonPress, IncomingMessage } from './channel-adapter.ts';
import type { CommandTarget } from './commands/chat-commands.ts';
import type { AccessRules } from './config/access.ts';
import { Inbox } from './inbox.ts';
import type { GatewayEvent } from './queue/gateway-event.ts';
import { CHANNEL, ScriptedChannel, USER } from './testing/scripted-channel.ts';

const ACCESS: AccessRules = {
  users: [USER],
  guilds: ['test:guild'],
  channels: [CHANNEL],
  directMessages: false,
};

type WorldOptions = {
  access?: Partial<AccessRules>;
  requiresMention?: boolean;
  chat?: ScriptedChannel;
  push?: (event: GatewayEvent) => Promise<StoredMessage>;
  retry?: (channelId: string, messageId: string) => Promise<boolean>;
  type?: (message: IncomingMessage) => boolean;
  press?: (press: ButtonPress, key: string, choice: string) => boolean;
  target?: Partial<CommandTarget>;
  last?: Map<string, string>;
};

/** An inbox that writes down what it stores. */
async function world(options: WorldOptions = {}) {
  const chat = options.chat ?? new ScriptedChannel();
  const last = options.last ?? new Map<string, string>();
  const stored: GatewayEvent[] = [];
  const log: string[] = [];
  const stops: string[] = [];
  let time = 0;
  const write = (message: string) => void log.push(message);
  const inbox = new Inbox({
    adapter: chat,
    access: { ...ACCESS, ...options.access },
    requiresMention: options.requiresMention ?? false,
    queue: {
      push: async (event) => {
        const result = (await options.push?.(event)) ?? 'accepted';
        if (result === 'accepted') stored.push(event);
        last.set(event.channelId, event.messageId);
        return result;
      },
      retry: options.retry ?? (async () => true),
    },
    requests: {
      type: options.type ?? (() => false),
      opened: async () => {},
      press: options.press ?? (() => false),
    },
    log: { warn: write, info: write },
    now: () => time,
    lastMessages: async () => new Map(last),
    seen: async (channelId, messageId) => void last.set(channelId, messageId),
    target: (channelId) =>
      ({
        stop: async () => stops.push(channelId) > 0,
        status: async () => ({ waiting: 0 }),
        ...options.target,
      }) as CommandTarget,
    onEnd: () => {},
  });
  await chat.start(inbox);
  return {
    ...{ chat, inbox, stored, log, stops, last },
    texts: () => stored.map(({ text }) => text),
    pass: (milliseconds: number) => {
      time += milliseconds;
    },
  };
}

/** An inbox that has caught up. */
async function readyWorld(options: WorldOptions = {}) {
  const made = await world(options);
  await made.inbox.catchUp();
  return made;
}

describe('the allow-list', () => {
  test.each([
    ['an allowed user in an allowed channel', {}, true],
    ['an allowed user in an allowed guild', { channel: 'test:9', guild: 'test:guild' }, true],
    ['an allowed user in another channel', { channel: 'test:9' }, false],
    ['an allowed user in another guild', { channel: 'test:9', guild: 'test:other' }, false],
    ['another user in an allowed channel', { user: 'test:eve' }, false],
    ['the same name on another platform', { user: 'other:me' }, false],
    ['an allowed user in a direct message', { channel: 'test:dm', direct: true }, false],
    ['a direct message that claims an allowed channel', { direct: true }, false],
  ])('decides about %s', async (_who, from, isAllowed) => {
    const { chat, stored } = await readyWorld();
    await chat.say('Hi', from);
    expect(stored).toHaveLength(isAllowed ? 1 : 0);
  });

  test('has a switch for direct messages', async () => {
    const { chat, stored } = await readyWorld({ access: { directMessages: true } });
    await chat.say('Hi', { channel: 'test:dm', direct: true });
    await chat.say('Hi', { channel: 'test:dm', direct: true, user: 'test:eve' });
    expect(stored).toHaveLength(1);
  });

  test('logs a stranger once, and answers nothing', async () => {
    const { chat, log } = await readyWorld();
    for (const text of ['Hi', '/stop', '']) await chat.say(text, { user: 'test:eve' });
    await chat.say('Hi', { user: 'test:eve', channel: 'test:dm', direct: true });
    expect(log).toEqual([
      'Ignoring test:eve in test:1: not on the allow-list.',
      'Ignoring test:eve in a direct message: not on the allow-list.',
    ]);
    expect(chat.calls).toEqual([]);
  });

  test('refuses presses and commands of strangers privately', async () => {
    const press = vi.fn(() => true);
    const retry = vi.fn(async () => true);
    const { chat, stops } = await readyWorld({ press, retry });
    const eve = { user: 'test:eve' };
    const refusal = 'You are not allowed to use this agent.';
    expect(await chat.press('request:key:once', eve)).toBe(refusal);
    expect(await chat.press('retry:m1', eve)).toBe(refusal);
    expect(await chat.command('stop', '', eve)).toEqual({ text: refusal, onlyToUser: true });
    expect([press.mock.calls, retry.mock.calls, stops]).toEqual([[], [], []]);
  });
});

describe('a message', () => {
  test('is stored without what only the platform knows', async () => {
    const { chat, stored } = await readyWorld();
    const messageId = await chat.say('Hi', { userName: 'Ada', guild: 'test:guild' });
    expect(stored).toEqual([
      { channelId: CHANNEL, messageId, userId: USER, text: 'Hi', files: [] },
    ]);
  });

  test('without text and files is ignored', async () => {
    const { chat, stored } = await readyWorld();
    await chat.say(' \n');
    await chat.say('', { files: ['a.txt'] });
    expect(stored).toHaveLength(1);
  });

  test('that is too long gets a notice, is not stored and not fetched again', async () => {
    const { chat, stored, last } = await readyWorld();
    const id = await chat.say('x'.repeat(100_001));
    expect(stored).toEqual([]);
    expect(chat.repliesTo(id)).toEqual(['This message is too long. Send it as a file.']);
    expect(last.get(CHANNEL)).toBe(id);
  });

  test('that is not addressed to the bot is ignored where a mention is required', async () => {
    const { chat, stored, last } = await readyWorld({
      requiresMention: true,
      type: ({ text }) => text === 'Tea',
    });
    const say = (text: string, isAddressed?: boolean) =>
      chat.receiver.onMessage({ ...chat.write(text), isAddressed });
    await say('Who has time for lunch?', false);
    await say('x'.repeat(200_000), false);
    await say('Fix the bug', true);
    await say('In a terminal');
    expect(stored.map(({ text }) => text)).toEqual(['Fix the bug', 'In a terminal']);
    expect(chat.texts()).toEqual([]);
    // Answers and commands are for the gateway.
    await say('Tea', false);
    await say('/help', false);
    expect(last.get(CHANNEL)).toBeDefined();
    expect(chat.texts()).toHaveLength(1);
    expect(stored).toHaveLength(2);
  });

  test('that cannot be stored is rejected, so that it is handed over again', async () => {
    const { chat } = await readyWorld({
      push: async () => {
        throw new BatonError('store_unavailable', 'The disk is full.');
      },
    });
    await expect(chat.say('Hi')).rejects.toThrow('The disk is full.');
  });

  test('of a flood gets one notice per minute and channel', async () => {
    const { chat, pass } = await readyWorld({ push: async () => 'rejected' });
    const other = { channel: 'test:2', guild: 'test:guild' };
    for (let count = 0; count < 50; count += 1) await chat.say('Hi');
    await chat.say('Hi', other);
    expect(chat.texts()).toEqual(['Too many messages are waiting. Send this one again later.']);
    expect(chat.texts('test:2')).toHaveLength(1);
    pass(60_000);
    await chat.say('Hi');
    expect(chat.texts()).toHaveLength(2);
  });

  test('whose notice cannot be sent is still taken', async () => {
    const { chat, log } = await readyWorld({ push: async () => 'rejected' });
    chat.fail('send', new Error('The platform is down.'));
    await chat.say('Hi');
    expect(log).toEqual(['Cannot answer a notice: The platform is down.']);
  });

  test('that answers a question is not stored, but seen', async () => {
    const { chat, stored, last } = await readyWorld({ type: ({ text }) => text === 'Tea' });
    const id = await chat.say('Tea');
    expect(stored).toEqual([]);
    expect(last.get(CHANNEL)).toBe(id);
  });

  test('that is a prompt does not answer a question when it arrives again', async () => {
    const type = vi.fn().mockReturnValueOnce(false).mockReturnValue(true);
    const { chat, inbox, stored } = await readyWorld({ type });
    const message = chat.write('Ask me something');
    await inbox.onMessage(message);
    await inbox.onMessage(message);
    expect(stored).toHaveLength(1);
    expect(type).toHaveBeenCalledOnce();
  });

  test('that answers a question is not a prompt when it arrives again', async () => {
    const type = vi.fn().mockReturnValueOnce(true).mockReturnValue(false);
    const { chat, inbox, stored } = await readyWorld({ type });
    const message = chat.write('Tea');
    await inbox.onMessage(message);
    await inbox.onMessage(message);
    expect(stored).toEqual([]);
  });
});

describe('a command as a message', () => {
  test('is answered, not stored, and remembered as seen', async () => {
    const { chat, stored, stops, last } = await readyWorld();
    const id = await chat.say('/stop');
    expect(chat.repliesTo(id)).toEqual(['Stopping.']);
    expect(stored).toEqual([]);
    expect(stops).toEqual([CHANNEL]);
    expect(last.get(CHANNEL)).toBe(id);
  });

  test('is carried out once, even if it arrives again', async () => {
    const { chat, inbox, stops, last } = await readyWorld();
    const message = chat.write('/stop');
    await inbox.onMessage(message);
    const next = await chat.say('Hi');
    await inbox.onMessage(message);
    expect(stops).toHaveLength(1);
    expect(last.get(CHANNEL)).toBe(next);
  });

  test('does not mention anyone, and fits into a message', async () => {
    const { chat } = await readyWorld({ target: { chooseModel: async () => {} } });
    await chat.say('/model a@everyone');
    expect(chat.texts()).toEqual(['This channel now uses the model a@\u200beveryone.']);
    const response = await chat.command('nope'.repeat(1000), '<@1>');
    expect(response?.text).toHaveLength(2000);
  });

  test('that fails is answered and logged', async () => {
    const forget = async () => {
      throw new Error('The disk is full.');
    };
    const { chat, log } = await readyWorld({ target: { forget } });
    const failed = 'This did not work. Try again, or see the log of the gateway.';
    expect(await chat.command('new')).toEqual({ text: failed, onlyToUser: false });
    const id = await chat.say('/new');
    expect(chat.repliesTo(id)).toEqual([failed]);
    expect(log).toEqual(['/new failed: The disk is full.', '/new failed: The disk is full.']);
  });
});

describe('a press', () => {
  test('answers a request, or says that it has expired', async () => {
    const pressed: string[][] = [];
    const { chat } = await readyWorld({
      press: (_press, key, choice) => {
        pressed.push([key, choice]);
        return key === 'open';
      },
    });
    expect(await chat.press('request:open:once')).toBeUndefined();
    expect(await chat.press('request:old:deny')).toBe('This request has expired.');
    expect(pressed).toEqual([
      ['open', 'once'],
      ['old', 'deny'],
    ]);
  });

  test('retries only messages of its own channel', async () => {
    const retried: string[][] = [];
    const { chat } = await readyWorld({
      retry: async (...key) => {
        retried.push(key);
        return false;
      },
    });
    expect(await chat.press('retry:m1')).toContain('already');
    expect(retried).toEqual([[CHANNEL, 'm1']]);
  });

  test('with another value does nothing', async () => {
    const { chat } = await readyWorld();
    for (const value of ['', 'x', 'stop:1', 'request', 'RETRY:1']) {
      expect(await chat.press(value)).toBe('This button no longer works.');
    }
  });

  test('that fails is acknowledged and logged', async () => {
    const { chat, log } = await readyWorld({
      retry: async () => {
        throw new Error('The disk is full.');
      },
    });
    expect(await chat.press('retry:m1')).toContain('This did not work.');
    expect(log).toEqual(['A message could not be run again: The disk is full.']);
  });
});

describe('catching up', () => {
  const LAST = () => new Map([[CHANNEL, '000000']]);

  test('stores what was missed before what arrives meanwhile', async () => {
    const { chat, inbox, texts } = await world({ last: LAST() });
    chat.write('one');
    chat.write('two');
    const saying = chat.say('three');
    await inbox.catchUp();
    await saying;
    expect(texts().slice(0, 3)).toEqual(['one', 'two', 'three']);
  });

  test('carries out commands and ignores strangers as usual', async () => {
    const { chat, inbox, texts, stops, last } = await world({ last: LAST() });
    chat.write('one');
    chat.write('/stop');
    const { messageId } = chat.write('Hello?', { user: 'test:eve' });
    await inbox.catchUp();
    expect(texts()).toEqual(['one']);
    expect(stops).toEqual([CHANNEL]);
    // The next time nothing has to be fetched.
    expect(last.get(CHANNEL)).toBe(messageId);
  });

  test('fetches again after a gap, and once more after a gap during that', async () => {
    const { chat, inbox, texts } = await readyWorld({ last: LAST() });
    const fetches = () => chat.calls.filter(({ kind }) => kind === 'history').length;
    const release = chat.hold('history');
    chat.write('one');
    inbox.onGap();
    await vi.waitFor(() => expect(fetches()).toBe(2));
    inbox.onGap();
    inbox.onGap();
    const saying = chat.say('two');
    release();
    await saying;
    expect(texts()[0]).toBe('one');
    expect(fetches()).toBe(3);
  });

  test('goes on with other channels after one that cannot be read', async () => {
    const last = new Map([...LAST(), ['test:2', '000000'], ['other:1', '000000']]);
    const { chat, inbox, texts, log } = await world({ last });
    chat.fail('history', new Error('No access.'));
    chat.write('one');
    chat.write('two', { channel: 'test:2', guild: 'test:guild' });
    await inbox.catchUp();
    expect(texts()).toEqual(['two']);
    expect(log).toEqual(['Messages in test:1 after 000000 could not be fetched: No access.']);
    await chat.say('three');
    expect(texts()).toEqual(['two', 'three']);
  });
});
