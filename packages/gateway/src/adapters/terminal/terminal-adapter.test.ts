import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type {
  Button,
  ButtonPress,
  ChannelReceiver,
  IncomingMessage,
} from '../../channel-adapter.ts';
import { neutralizeMentions } from '../../text/mentions.ts';
import { TerminalAdapter, type TerminalAdapterOptions } from './terminal-adapter.ts';

const CHANNEL = 'terminal:local';
const ALLOW: Button = { label: 'Allow once', value: 'allow', style: 'primary' };
const DENY: Button = { label: 'Deny', value: 'deny', style: 'danger' };

type Received = {
  messages: IncomingMessage[];
  presses: ButtonPress[];
  ends: (Error | undefined)[];
};

async function started(
  options: Partial<TerminalAdapterOptions> = {},
  overrides: Partial<ChannelReceiver> = {},
) {
  const input = options.input ?? new PassThrough();
  const output = options.output ?? new PassThrough();
  const adapter = new TerminalAdapter({ ...options, input, output });
  const received: Received = { messages: [], presses: [], ends: [] };
  await adapter.start({
    allows: () => true,
    commands: [],
    onMessage: async (message) => void received.messages.push(message),
    onPress: async (press) => void received.presses.push(press),
    onCommand: async () => {},
    onGap: () => {},
    onEnd: (error) => void received.ends.push(error),
    ...overrides,
  });
  onTestFinished(() => adapter.stop());
  const type = (text: string) => void (input as PassThrough).write(text);
  const texts = () => received.messages.map(({ text }) => text);
  return { adapter, input: input as PassThrough, output, received, type, texts };
}

/** An adapter whose output is a terminal. */
function onTerminal() {
  return started({ output: Object.assign(new PassThrough(), { isTTY: true }) });
}

/** Returns the output so far. */
function printed(output: unknown): string {
  return String((output as PassThrough).read() ?? '');
}

describe('TerminalAdapter: input', () => {
  test('hands over each line as a message', async () => {
    const { received, type } = await started();
    type('hello\n/stop\r\n  \n\nlast\n');
    await vi.waitFor(() => expect(received.messages).toHaveLength(3));
    expect(received.messages).toEqual(
      ['hello', '/stop', 'last'].map((text) => ({
        userId: CHANNEL,
        channelId: CHANNEL,
        isDirect: false,
        messageId: expect.any(String),
        text,
        files: [],
      })),
    );
  });

  test('gives messages ids in the order of time that are not used again', async () => {
    const [one, two] = [await started({ userId: 'terminal:me' }), await started()];
    for (const { type } of [one, two]) type('a\nb\nc\n');
    await vi.waitFor(() => {
      expect(one.received.messages).toHaveLength(3);
      expect(two.received.messages).toHaveLength(3);
    });
    const ids = [one, two].map(({ received }) => received.messages.map((each) => each.messageId));
    for (const each of ids) expect(each.toSorted()).toEqual(each);
    expect(new Set(ids.flat()).size).toBe(6);
    expect(one.received.messages[0]?.userId).toBe('terminal:me');
  });

  test('continues a line that ends with a backslash', async () => {
    const { texts, type } = await started();
    type('one\\\ntwo\\\n\nthree\n');
    await vi.waitFor(() => expect(texts()).toEqual(['one\ntwo\n', 'three']));
  });

  test('hands over messages one after another, then the end of the input', async () => {
    const order: string[] = [];
    const first = Promise.withResolvers<void>();
    const { input } = await started(
      {},
      {
        onMessage: async ({ text }) => {
          order.push(`begin ${text}`);
          if (text === 'a') await first.promise;
          order.push(`end ${text}`);
        },
        onEnd: (error) => void order.push(`end of input ${error}`),
      },
    );
    input.end('a\nb\nunfinished\\');
    await vi.waitFor(() => expect(order).toEqual(['begin a']));
    first.resolve();
    await vi.waitFor(() => expect(order.at(-1)).toBe('end of input undefined'));
    expect(order.slice(1, -1)).toEqual([
      'end a',
      'begin b',
      'end b',
      'begin unfinished',
      'end unfinished',
    ]);
  });

  test('reports an input that fails', async () => {
    const { input, received } = await started();
    input.destroy(new Error('the terminal is gone'));
    await vi.waitFor(() => expect(received.ends).toEqual([new Error('the terminal is gone')]));
  });

  test('tells the user about a message that could not be stored', async () => {
    const { output, texts, type } = await started(
      {},
      { onMessage: () => Promise.reject(new Error('disk full')) },
    );
    type('hello\n');
    await vi.waitFor(() =>
      expect(printed(output)).toBe('The message could not be stored: disk full\nType it again.\n'),
    );
    expect(texts()).toEqual([]);
  });

  test('hands over nothing after it was stopped', async () => {
    const { adapter, input, received } = await started();
    await adapter.stop();
    input.end('hello\n');
    await once(input.resume(), 'end');
    expect(received).toEqual({ messages: [], presses: [], ends: [] });
  });
});

describe('TerminalAdapter: buttons', () => {
  test('presses the button whose number is typed, and prints the acknowledgement', async () => {
    const { adapter, output, received, type } = await started();
    const id = await adapter.send(CHANNEL, { text: 'Run it?', buttons: [[ALLOW], [DENY]] }, 'n');
    expect(printed(output)).toBe('Run it?\n[/1] Allow once\n[/2] Deny\n');
    type(' /2 \n');
    await vi.waitFor(() => expect(received.presses).toHaveLength(1));
    expect(received.presses[0]).toMatchObject({
      userId: CHANNEL,
      channelId: CHANNEL,
      isDirect: false,
      messageId: id,
      value: 'deny',
    });
    await received.presses[0]?.acknowledge();
    await received.presses[0]?.acknowledge('Denied\u001b[2J.');
    expect(printed(output)).toBe('Denied.\n');
    expect(received.messages).toEqual([]);
  });

  test.each(['1', ' 2 ', 'see /1', '/1 and /2', '/1x', '1/1', '/help'])(
    'takes %j as text',
    async (text) => {
      const { adapter, texts, type, received } = await started();
      await adapter.send(CHANNEL, { text: 'Run it?', buttons: [[ALLOW, DENY]] }, 'n');
      type(`${text}\n`);
      await vi.waitFor(() => expect(texts()).toEqual([text]));
      expect(received.presses).toEqual([]);
    },
  );

  test('presses nothing in a message of several lines', async () => {
    const { adapter, input, texts, received } = await started();
    await adapter.send(CHANNEL, { text: 'Run it?', buttons: [[ALLOW, DENY]] }, 'n');
    input.end('see\\\n/1\n\\\n/1\n/1\\');
    await vi.waitFor(() => expect(received.ends).toHaveLength(1));
    expect(texts()).toEqual(['see\n/1', '\n/1', '/1']);
    expect(received.presses).toEqual([]);
  });

  test('rejects a number without a button', async () => {
    const { adapter, output, received, texts, type } = await started();
    await adapter.send(CHANNEL, { text: 'Run it?', buttons: [[ALLOW, DENY]] }, 'n');
    printed(output);
    type('/7\n/0\nnext\n');
    await vi.waitFor(() => expect(texts()).toEqual(['next']));
    expect(printed(output)).toBe('There is no button /7.\nThere is no button /0.\n');
    expect(received.presses).toEqual([]);
  });

  test('gives each button its own number while several messages have some', async () => {
    const { adapter, output, received, type } = await started();
    const buttons = [[ALLOW, DENY]];
    const first = await adapter.send(CHANNEL, { text: 'First?', buttons }, '1');
    const second = await adapter.send(CHANNEL, { text: 'Second?', buttons }, '2');
    expect(printed(output)).toBe(
      'First?\n[/1] Allow once  [/2] Deny\nSecond?\n[/3] Allow once  [/4] Deny\n',
    );
    type('/2\n/3\n');
    await vi.waitFor(() => expect(received.presses).toHaveLength(2));
    expect(received.presses).toMatchObject([
      { messageId: first, value: 'deny' },
      { messageId: second, value: 'allow' },
    ]);
  });

  test('keeps the numbers of buttons that stay, and uses no number twice', async () => {
    const { adapter, output, received, type } = await started();
    const buttons = [[ALLOW, DENY]];
    const first = await adapter.send(CHANNEL, { text: 'First?', buttons }, '1');
    const second = await adapter.send(CHANNEL, { text: 'Second?', buttons }, '2');
    await adapter.edit(CHANNEL, first, { text: 'First: denied.' });
    printed(output);
    const relabeled = [[{ ...ALLOW, label: 'Allow all' }, DENY]];
    await adapter.edit(CHANNEL, second, { text: 'Second?', buttons: relabeled });
    expect(printed(output)).toBe('[/3] Allow all  [/4] Deny\n');
    await adapter.send(CHANNEL, { text: 'Third?', buttons: [[DENY]] }, '3');
    expect(printed(output)).toBe('Third?\n[/5] Deny\n');
    // Typed too late, it must not press a button of another message.
    type('/1\n/4\n');
    await vi.waitFor(() => expect(received.presses).toHaveLength(1));
    expect(received.presses).toMatchObject([{ messageId: second, value: 'deny' }]);
    expect(printed(output)).toBe('There is no button /1.\n');
  });

  test('marks what is invisible in a request and in labels', async () => {
    const { adapter, output } = await started();
    const buttons = [[{ ...ALLOW, label: 'Allow\n[/2] Deny' }]];
    await adapter.send(CHANNEL, { text: 'rm \u001b[8m-rf /', buttons }, 'n');
    expect(printed(output)).toBe('rm ⟨U+001B⟩[8m-rf /\n[/1] Allow [/2] Deny\n');
  });
});

describe('TerminalAdapter: output', () => {
  test('prints an answer once, when it is final', async () => {
    const { adapter, output } = await started();
    const id = await adapter.send(CHANNEL, { text: '…', isDraft: true }, 'n');
    await adapter.edit(CHANNEL, id, { text: 'The ans', isDraft: true });
    expect(printed(output)).toBe('');
    await adapter.edit(CHANNEL, id, { text: 'The answer\n' });
    await adapter.edit(CHANNEL, id, { text: 'The answer' });
    expect(printed(output)).toBe('The answer\n');
  });

  test('prints only what an edit adds above or below a text', async () => {
    const { adapter, output } = await started();
    const id = await adapter.send(CHANNEL, { text: 'Run it?', buttons: [[ALLOW]] }, 'n');
    printed(output);
    await adapter.edit(CHANNEL, id, { text: 'Allowed by me.\nRun it?' });
    expect(printed(output)).toBe('Allowed by me.\n');
    await adapter.edit(CHANNEL, id, { text: 'Allowed by me.\nRun it?\nDone.' });
    expect(printed(output)).toBe('Done.\n');
    await adapter.edit(CHANNEL, id, { text: 'Gone.' });
    expect(printed(output)).toBe('Gone.\n');
  });

  test('offers no buttons of a draft', async () => {
    const { adapter, output, texts, type } = await onTerminal();
    await adapter.send(CHANNEL, { text: 'Wait', isDraft: true, buttons: [[DENY]] }, 'n');
    type('/1\nnext\n');
    await vi.waitFor(() => expect(texts()).toEqual(['next']));
    expect(printed(output)).toBe('Wait\nThere is no button /1.\n');
  });

  test('removes control sequences', async () => {
    const { adapter, output } = await started();
    await adapter.send(CHANNEL, { text: '\u001b[2Jhi\u001b]0;title\u0007\r\n\tthere\b' }, 'n');
    expect(printed(output)).toBe('hi\n\tthere\n');
  });

  test('shows a message with the same nonce once', async () => {
    const { adapter, output } = await started();
    const send = () => adapter.send(CHANNEL, { text: 'hi' }, 'nonce');
    expect(await send()).toBe(await send());
    expect(printed(output)).toBe('hi\n');
  });

  test('rejects what cannot be written', async () => {
    const { adapter, output } = await started();
    const failed = new Promise((resolve) => output.once('error', resolve));
    (output as PassThrough).end();
    await expect(adapter.send(CHANNEL, { text: 'hi' }, 'n')).rejects.toThrow('write after end');
    await failed;
  });

  test('prints a file of text before the request it belongs to, and names others', async () => {
    const { adapter, output } = await started();
    const content = Buffer.from('rm -rf \u001b[8m/\n');
    const files = [
      { name: '../a\u001b.txt', mediaType: 'text/plain', content },
      { name: 'b.png', mediaType: 'image/png', content: Buffer.from('x') },
    ];
    await adapter.send(CHANNEL, { text: 'Run it?', files, buttons: [[DENY]] }, 'n');
    expect(printed(output)).toBe(
      'File ../a⟨U+001B⟩.txt (13 bytes)\nrm -rf ⟨U+001B⟩[8m/\n\nFile b.png (1 bytes)\nRun it?\n[/1] Deny\n',
    );
  });

  test('has no mentions, no history and no files of users', async () => {
    const { adapter } = await started();
    expect(neutralizeMentions('@everyone <@1>', adapter.mentions)).toBe('@everyone <@1>');
    for await (const message of adapter.messagesAfter()) expect.unreachable(message.text);
    await expect(adapter.download()).rejects.toThrow('Messages of a terminal have no files.');
  });
});

describe('TerminalAdapter: output on a terminal', () => {
  test('says at the start what to do', async () => {
    const terminal = () => Object.assign(new PassThrough(), { isTTY: true });
    const { output } = await started({ input: terminal(), output: terminal() });
    expect(printed(output)).toContain('Type a message and press Enter.');
  });

  test('prints an answer while it grows, without the line about tools', async () => {
    const { adapter, output } = await onTerminal();
    const id = await adapter.send(CHANNEL, { text: '⏳ `ls` · 1 tool', isDraft: true }, 'n');
    await adapter.edit(CHANNEL, id, { text: 'One\n\n⏳ 1 tool used', isDraft: true });
    expect(printed(output)).toBe('One');
    await adapter.edit(CHANNEL, id, { text: 'One.\n\nTw', isDraft: true });
    expect(printed(output)).toBe('.\n\nTw');
    await adapter.edit(CHANNEL, id, { text: 'One.\n\nTwo.' });
    expect(printed(output)).toBe('o.\n');
  });

  test('does not repeat the end of a draft as the answer', async () => {
    const { adapter, output } = await onTerminal();
    const id = await adapter.send(CHANNEL, { text: 'Looking.\n\nDone.', isDraft: true }, 'n');
    await adapter.edit(CHANNEL, id, { text: 'Done.' });
    expect(printed(output)).toBe('Looking.\n\nDone.\n');
  });

  test.each([
    ['Looking.\n\nDone, bu', 'Looking.\n\n🔧 2 tools used', '🔧 2 tools used'],
    ['Done, bu', '🔧 1 tool used', '🔧 1 tool used'],
    ['A.\n\nB.\n\nDone, but', 'A.\n\nB.\n\n💬 The answer is below.', undefined],
  ])('continues the beginning of an answer that ends the draft %j', async (draft, last, note) => {
    const { adapter, output } = await onTerminal();
    const id = await adapter.send(CHANNEL, { text: draft, isDraft: true }, 'n');
    await adapter.edit(CHANNEL, id, { text: last });
    await adapter.send(CHANNEL, { text: 'Done, but not all.' }, 'm');
    const said = draft.slice(0, draft.indexOf('Done'));
    expect(printed(output)).toBe(`${said}Done, but not all.\n${note ? `${note}\n` : ''}`);
  });

  test('ends the beginning of an answer before anything else', async () => {
    const { adapter, output } = await onTerminal();
    const id = await adapter.send(CHANNEL, { text: 'A.\n\nDone, bu', isDraft: true }, 'n');
    await adapter.edit(CHANNEL, id, { text: 'A.\n\n🔧 2 tools used' });
    adapter.note('warning: careful');
    await adapter.send(CHANNEL, { text: 'Done, but not all.' }, 'm');
    expect(printed(output)).toBe(
      'A.\n\nDone, bu\n🔧 2 tools used\nwarning: careful\nDone, but not all.\n',
    );
  });

  test('prints an answer that is not the draft in a line of its own', async () => {
    const { adapter, output } = await onTerminal();
    const id = await adapter.send(CHANNEL, { text: 'Draft', isDraft: true }, 'n');
    await adapter.edit(CHANNEL, id, { text: 'Another draft', isDraft: true });
    await adapter.edit(CHANNEL, id, { text: 'Answer' });
    expect(printed(output)).toBe('Draft\nAnswer\n');
  });

  test('ends the line of a draft before anything else', async () => {
    const { adapter, output } = await onTerminal();
    const id = await adapter.send(CHANNEL, { text: 'Wor', isDraft: true }, 'n');
    adapter.note('warning: careful');
    await adapter.edit(CHANNEL, id, { text: 'Working', isDraft: true });
    await adapter.edit(CHANNEL, id, { text: 'Working on it.' });
    expect(printed(output)).toBe('Wor\nwarning: careful\nWorking on it.\n');
  });
});
