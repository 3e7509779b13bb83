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

  test('takes a number as text when there are no buttons', async () => {
    const { adapter, texts, type, received } = await started();
    type('1\n');
    await vi.waitFor(() => expect(texts()).toEqual(['1']));
    const id = await adapter.send(CHANNEL, { text: 'Run it?', buttons: [[ALLOW, DENY]] }, 'n');
    await adapter.edit(CHANNEL, id, { text: 'Allowed.' });
    type('2\n');
    await vi.waitFor(() => expect(texts()).toEqual(['1', '2']));
    expect(received.presses).toEqual([]);
  });

  test('takes a number inside a text as text', async () => {
    const { adapter, input, texts, received } = await started();
    await adapter.send(CHANNEL, { text: 'Run it?', buttons: [[ALLOW, DENY]] }, 'n');
    input.end('1 and 2\nsee\\\n1\n\\\n1\n8080\n1\\');
    await vi.waitFor(() => expect(received.ends).toHaveLength(1));
    expect(texts()).toEqual(['1 and 2', 'see\n1', '\n1', '8080', '1']);
    expect(received.presses).toEqual([]);
  });

  test('rejects a number without a button while there are buttons', async () => {
    const { adapter, output, received, texts, type } = await started();
    await adapter.send(CHANNEL, { text: 'Run it?', buttons: [[ALLOW, DENY]] }, 'n');
    printed(output);
    type('7\n0\n01\nnext\n');
    await vi.waitFor(() => expect(texts()).toEqual(['next']));
    expect(printed(output)).toBe(
      'There is no button 7.\nThere is no button 0.\nThere is no button 01.\n',
    );
    expect(received.presses).toEqual([]);
  });

  test('gives each button its own number while several messages have some', async () => {
    const { adapter, output, received, type } = await started();
    const buttons = [[ALLOW, DENY]];
    const first = await adapter.send(CHANNEL, { text: 'First?', buttons }, '1');
    const second = await adapter.send(CHANNEL, { text: 'Second?', buttons }, '2');
    expect(printed(output)).toBe(
      'First?\n[1] Allow once  [2] Deny\nSecond?\n[3] Allow once  [4] Deny\n',
    );
    type('2\n3\n');
    await vi.waitFor(() => expect(received.presses).toHaveLength(2));
    expect(received.presses).toMatchObject([
      { messageId: first, value: 'deny' },
      { messageId: second, value: 'allow' },
    ]);
  });

  test('keeps the numbers of a message when another one loses its buttons', async () => {
    const { adapter, output, received, type } = await started();
    const buttons = [[ALLOW, DENY]];
    const first = await adapter.send(CHANNEL, { text: 'First?', buttons }, '1');
    const second = await adapter.send(CHANNEL, { text: 'Second?', buttons }, '2');
    await adapter.edit(CHANNEL, first, { text: 'First: denied.' });
    printed(output);
    const relabeled = [[{ ...ALLOW, label: 'Allow all' }, DENY]];
    await adapter.edit(CHANNEL, second, { text: 'Second?', buttons: relabeled });
    expect(printed(output)).toBe('Second?\n[3] Allow all  [4] Deny\n');
    type('1\n4\n');
    await vi.waitFor(() => expect(received.presses).toHaveLength(1));
    expect(received.presses).toMatchObject([{ messageId: second, value: 'deny' }]);
    expect(printed(output)).toBe('There is no button 1.\n');
  });

  test('numbers buttons from 1 again when none are left', async () => {
    const { adapter, output } = await started();
    const buttons = [[ALLOW, DENY]];
    const ids = [
      await adapter.send(CHANNEL, { text: 'First?', buttons }, '1'),
      await adapter.send(CHANNEL, { text: 'Second?', buttons }, '2'),
    ];
    for (const id of ids) await adapter.edit(CHANNEL, id, { text: 'Denied.' });
    printed(output);
    await adapter.send(CHANNEL, { text: 'Third?', buttons }, '3');
    expect(printed(output)).toBe('Third?\n[1] Allow once  [2] Deny\n');
  });

  test('gives new numbers to a message whose buttons are replaced', async () => {
    const { adapter, output } = await started();
    const first = await adapter.send(CHANNEL, { text: 'First?', buttons: [[ALLOW, DENY]] }, '1');
    await adapter.send(CHANNEL, { text: 'Second?', buttons: [[DENY]] }, '2');
    printed(output);
    await adapter.edit(CHANNEL, first, { text: 'First?', buttons: [[DENY]] });
    expect(printed(output)).toBe('First?\n[4] Deny\n');
  });

  test('ignores a number that was typed before the choices changed', async () => {
    const { adapter, received, screen, texts, type } = await onTerminal();
    await adapter.send(CHANNEL, { text: 'First?', buttons: [[ALLOW, DENY]] }, '1');
    type('1');
    const id = await adapter.send(CHANNEL, { text: 'Second?', buttons: [[ALLOW, DENY]] }, '2');
    type('\r');
    await vi.waitFor(() => expect(screen.lines.join('')).toContain('choices have changed'));
    type('4\r');
    await vi.waitFor(() => expect(received.presses).toHaveLength(1));
    expect(received.presses[0]).toMatchObject({ messageId: id, value: 'deny' });
    expect(texts()).toEqual([]);
  });

  test('does not send a number that was typed before the buttons went away', async () => {
    const { adapter, received, screen, texts, type } = await onTerminal();
    const id = await adapter.send(CHANNEL, { text: 'Run?', buttons: [[ALLOW, DENY]] }, '1');
    type('1');
    await adapter.edit(CHANNEL, id, { text: 'Denied.' });
    type('\r');
    await vi.waitFor(() => expect(screen.lines.join('')).toContain('choices have changed'));
    type('next\r');
    await vi.waitFor(() => expect(texts()).toEqual(['next']));
    expect(received.presses).toEqual([]);
  });

  test('marks what is invisible in a request and in labels', async () => {
    const { adapter, output } = await started();
    const buttons = [[{ ...ALLOW, label: 'Allow\n[2] Deny' }]];
    await adapter.send(CHANNEL, { text: 'rm \u001b[8m-rf /', buttons }, 'n');
    expect(printed(output)).toBe('rm ⟨U+001B⟩[8m-rf /\n[1] Allow [2] Deny\n');
  });
});

describe('TerminalAdapter: paste', () => {
  const paste = (text: string) => `\u001b[200~${text}\u001b[201~`;

  test('sends pasted lines as one message at Enter', async () => {
    const { screen, texts, type } = await onTerminal();
    type(`see ${paste('one\rtwo \\\r\r\nthree')}`);
    await vi.waitFor(() =>
      expect(screen.lines).toEqual(['> see one', '... two \\', '...', '... three']),
    );
    expect(texts()).toEqual([]);
    type('!\r');
    type('next\r');
    await vi.waitFor(() => expect(texts()).toEqual(['see one\ntwo \\\n\nthree!', 'next']));
    expect(screen.lines.slice(3)).toEqual(['... three!', '> next', '>']);
  });

  test('leaves pasted text without a line break on the input line', async () => {
    const { screen, texts, type } = await onTerminal();
    type(paste('one'));
    await vi.waitFor(() => expect(screen.lines).toEqual(['> one']));
    expect(texts()).toEqual([]);
    type(' two\r');
    await vi.waitFor(() => expect(texts()).toEqual(['one two']));
  });

  test('joins several pastes', async () => {
    const { texts, type } = await onTerminal();
    type(`${paste('one\rtwo')} and ${paste('three\rfour\r')}\r`);
    await vi.waitFor(() => expect(texts()).toEqual(['one\ntwo and three\nfour\n']));
  });

  test.each(['1\r', '\r1', '1\r1\r'])('presses no button for a pasted %j', async (text) => {
    const { adapter, received, texts, type } = await onTerminal();
    await adapter.send(CHANNEL, { text: 'Run it?', buttons: [[ALLOW, DENY]] }, 'n');
    type(`${paste(text)}\r`);
    await vi.waitFor(() => expect(texts()).toEqual([text.replaceAll('\r', '\n')]));
    expect(received.presses).toEqual([]);
  });

  test('presses no button for a pasted number at the end of the input', async () => {
    const { adapter, received, texts, type } = await onTerminal();
    await adapter.send(CHANNEL, { text: 'Run it?', buttons: [[ALLOW, DENY]] }, 'n');
    const CTRL_D = '\u0004';
    type(`${paste('1\r')}${CTRL_D}`);
    await vi.waitFor(() => expect(received.ends).toHaveLength(1));
    expect(texts()).toEqual(['1']);
    expect(received.presses).toEqual([]);
  });

  test('makes the terminal mark pastes until it is stopped', async () => {
    const { adapter, screen } = await onTerminal();
    expect(screen.marksPastes).toBe(true);
    await adapter.stop();
    expect(screen.marksPastes).toBe(false);
  });

  test('makes the terminal mark pastes until the end of the input', async () => {
    const { received, input, screen } = await onTerminal();
    input.end();
    await vi.waitFor(() => expect(received.ends).toHaveLength(1));
    expect(screen.marksPastes).toBe(false);
  });

  test('does not change a terminal that has no keyboard', async () => {
    const screen = newScreen();
    const { adapter } = await started({ output: screen });
    await adapter.stop();
    expect(screen.raw).toBe('');
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
