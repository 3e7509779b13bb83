import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
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
import { VirtualTerminal } from './testing/virtual-terminal.ts';

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

/** An adapter with a keyboard and a screen. */
async function onTerminal(options: Partial<TerminalAdapterOptions> = {}) {
  const screen = newScreen();
  const keyboard = Object.assign(new PassThrough(), { isTTY: true });
  return { ...(await started({ ...options, input: keyboard, output: screen })), screen };
}

function newScreen(): VirtualTerminal {
  // The tests may run where the terminal is "dumb".
  vi.stubEnv('TERM', 'xterm');
  onTestFinished(() => void vi.unstubAllEnvs());
  return new VirtualTerminal(20, 10);
}

/** What was written so far. */
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
    expect(printed(output)).toBe('Run it?\n[1] Allow once\n[2] Deny\n');
    type(' 2 \n');
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

  test('takes numbers as text when they press nothing', async () => {
    const { adapter, texts, type, received } = await started();
    type('1\n');
    const id = await adapter.send(CHANNEL, { text: 'Run it?', buttons: [[ALLOW, DENY]] }, 'n');
    type('3\n0\n01\n1 and 2\nsee\\\n1\n');
    await vi.waitFor(() => expect(texts()).toEqual(['1', '3', '0', '01', '1 and 2', 'see\n1']));
    await adapter.edit(CHANNEL, id, { text: 'Allowed.' });
    type('1\n');
    await vi.waitFor(() => expect(texts()).toHaveLength(7));
    expect(received.presses).toEqual([]);
  });

  test('presses only buttons of the newest message that has some', async () => {
    const { adapter, received, type } = await started();
    const send = (text: string, nonce: string) =>
      adapter.send(CHANNEL, { text, buttons: [[ALLOW, DENY]] }, nonce);
    const [older, newer] = [await send('First?', '1'), await send('Second?', '2')];
    type('1\n');
    await vi.waitFor(() => expect(received.presses).toHaveLength(1));
    await adapter.edit(CHANNEL, newer, { text: 'Second: allowed.' });
    type('1\n');
    await vi.waitFor(() => expect(received.presses).toHaveLength(2));
    expect(received.presses.map(({ messageId }) => messageId)).toEqual([newer, older]);
  });

  test('ignores a number that was typed before the choices changed', async () => {
    const { adapter, received, screen, texts, type } = await onTerminal();
    await adapter.send(CHANNEL, { text: 'First?', buttons: [[ALLOW, DENY]] }, '1');
    type('1');
    const id = await adapter.send(CHANNEL, { text: 'Second?', buttons: [[ALLOW, DENY]] }, '2');
    type('\r');
    await vi.waitFor(() => expect(screen.lines.join('')).toContain('choices have changed'));
    type('2\r');
    await vi.waitFor(() => expect(received.presses).toHaveLength(1));
    expect(received.presses[0]).toMatchObject({ messageId: id, value: 'deny' });
    expect(texts()).toEqual([]);
  });

  test('marks what is invisible in a request and in labels', async () => {
    const { adapter, output } = await started();
    const buttons = [[{ ...ALLOW, label: 'Allow\n[2] Deny' }]];
    await adapter.send(CHANNEL, { text: 'rm \u001b[8m-rf /', buttons }, 'n');
    expect(printed(output)).toBe('rm ⟨U+001B⟩[8m-rf /\n[1] Allow [2] Deny\n');
  });
});

describe('TerminalAdapter: output without a terminal', () => {
  test('prints an answer once, when it is final', async () => {
    const { adapter, output } = await started();
    const id = await adapter.send(CHANNEL, { text: '…', isDraft: true }, 'n');
    await adapter.edit(CHANNEL, id, { text: 'The ans', isDraft: true });
    expect(printed(output)).toBe('');
    await adapter.edit(CHANNEL, id, { text: 'The answer\n' });
    expect(printed(output)).toBe('The answer\n');
  });

  test('does not let buttons be pressed that it does not show', async () => {
    const { adapter, output, texts, type } = await started();
    await adapter.send(CHANNEL, { text: '…', isDraft: true, buttons: [[DENY]] }, 'n');
    type('1\n');
    await vi.waitFor(() => expect(texts()).toEqual(['1']));
    expect(printed(output)).toBe('');
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

  test('names files, and writes them if it has a folder', async () => {
    const filesFolder = join(mkdtempSync(join(tmpdir(), 'baton-terminal-')), 'files');
    onTestFinished(() => rmSync(dirname(filesFolder), { recursive: true, force: true }));
    const file = { name: '../a\u001b.txt', mediaType: 'text/plain', content: Buffer.from('hello') };
    const without = await started();
    await without.adapter.send(CHANNEL, { text: 'Here:', files: [file] }, 'n');
    expect(printed(without.output)).toBe('Here:\nFile ../a⟨U+001B⟩.txt (5 bytes)\n');
    const { adapter, output } = await started({ filesFolder });
    await adapter.send(CHANNEL, { text: '', files: [file] }, '1');
    await adapter.send(CHANNEL, { text: '', files: [file] }, '2');
    expect(printed(output)).toBe(
      [
        `File ../a⟨U+001B⟩.txt (5 bytes): ${join(filesFolder, 'a.txt')}\n`,
        `File ../a⟨U+001B⟩.txt (5 bytes): ${join(filesFolder, 'a-1.txt')}\n`,
      ].join(''),
    );
    expect(readFileSync(join(filesFolder, 'a-1.txt'), 'utf8')).toBe('hello');
    expect(existsSync(join(dirname(filesFolder), basename(file.name)))).toBe(false);
  });

  test('has no mentions, no history and no files of users', async () => {
    const { adapter } = await started();
    expect(neutralizeMentions('@everyone <@1>', adapter.mentions)).toBe('@everyone <@1>');
    for await (const message of adapter.messagesAfter()) expect.unreachable(message.text);
    await expect(adapter.download()).rejects.toThrow('Messages of a terminal have no files.');
  });
});

describe('TerminalAdapter: output on a terminal', () => {
  test('keeps the line that is being typed while an answer grows above it', async () => {
    const { adapter, received, screen, type } = await onTerminal();
    type('first\r');
    type('a line longer than the screen');
    const LEFT = '\u001b[D';
    type(LEFT.repeat(15));
    await vi.waitFor(() => expect(screen.cursor).toEqual({ row: 1, column: 16 }));
    const id = await adapter.send(CHANNEL, { text: 'Wor', isDraft: true }, 'n');
    await adapter.edit(CHANNEL, id, { text: 'Working on it, and more', isDraft: true });
    expect(screen.lines).toEqual([
      '> first',
      'Working on it, and m',
      'ore',
      '> a line longer than',
      ' the screen',
    ]);
    expect(screen.cursor).toEqual({ row: 3, column: 16 });
    await adapter.edit(CHANNEL, id, { text: 'Done.' });
    expect(screen.lines).toEqual(['> first', 'Done.', '> a line longer than', ' the screen']);
    type('\r');
    await vi.waitFor(() => expect(received.messages).toHaveLength(2));
    await adapter.edit(CHANNEL, id, { text: 'Done.\nReally.' });
    expect(screen.lines.slice(1)).toEqual([
      'Done.',
      'Really.',
      '> a line longer than',
      ' the screen',
      '>',
    ]);
  });

  test('accounts for a typed line that fills its last row', async () => {
    const { adapter, received, screen, type } = await onTerminal();
    const id = await adapter.send(CHANNEL, { text: 'Wait', isDraft: true }, 'n');
    type('123456789012345678');
    type('\r');
    await vi.waitFor(() => expect(received.messages).toHaveLength(1));
    await adapter.edit(CHANNEL, id, { text: 'Done.' });
    expect(screen.lines).toEqual(['Done.', '> 123456789012345678', '', '>']);
  });

  test('shows that a message continues', async () => {
    const { screen, texts, type } = await onTerminal();
    type('one\\\r');
    await vi.waitFor(() => expect(screen.lines).toEqual(['> one\\', '...']));
    type('two\r');
    await vi.waitFor(() => expect(texts()).toEqual(['one\ntwo']));
    expect(screen.lines).toEqual(['> one\\', '... two', '>']);
  });

  test('removes the prompt at the end of the input and still prints', async () => {
    const { adapter, received, screen, type } = await onTerminal();
    type('hi\r');
    const CTRL_D = '\u0004';
    type(CTRL_D);
    await vi.waitFor(() => expect(received.ends).toEqual([undefined]));
    const id = await adapter.send(CHANNEL, { text: 'Hel', isDraft: true }, 'n');
    await adapter.edit(CHANNEL, id, { text: 'Hello.' });
    expect(screen.lines).toEqual(['> hi', 'Hello.']);
  });

  test('reports Ctrl-C and goes on', async () => {
    const onInterrupt = vi.fn();
    const { texts, type, received } = await onTerminal({ onInterrupt });
    const CTRL_C = '\u0003';
    type(CTRL_C);
    type('hi\r');
    await vi.waitFor(() => expect(texts()).toEqual(['hi']));
    expect(onInterrupt).toHaveBeenCalledTimes(1);
    expect(received.ends).toEqual([]);
  });

  test('prints only final texts on a terminal that cannot move its cursor', async () => {
    const screen = newScreen();
    vi.stubEnv('TERM', 'dumb');
    const { adapter } = await started({ output: screen });
    const id = await adapter.send(CHANNEL, { text: 'Hel', isDraft: true }, 'n');
    await adapter.edit(CHANNEL, id, { text: 'Hello.' });
    expect(screen.raw).toBe('Hello.\n');
  });

  test('rewrites in place without a keyboard, with no prompt', async () => {
    const screen = newScreen();
    const { adapter, type, texts } = await started({ output: screen });
    type('hi\n');
    await vi.waitFor(() => expect(texts()).toEqual(['hi']));
    const id = await adapter.send(CHANNEL, { text: 'Hel', isDraft: true }, 'n');
    await adapter.edit(CHANNEL, id, { text: 'Other' });
    expect(screen.lines).toEqual(['Other']);
  });
});
