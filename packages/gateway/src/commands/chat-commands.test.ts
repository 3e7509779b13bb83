import { BatonError } from '@baton/protocol';
import { describe, expect, test } from 'vitest';
import {
  type ChannelStatus,
  COMMAND_DESCRIPTIONS,
  type CommandTarget,
  commandIn,
  runCommand,
} from './chat-commands.ts';

const STATUS: ChannelStatus = {
  backend: 'claude',
  model: undefined,
  permissionMode: 'ask',
  place: undefined,
  workingDir: '/workspace',
  session: undefined,
  runningMs: undefined,
  waiting: 0,
  usage: undefined,
};

/** A channel that writes down what was done to it. */
function target(status: Partial<ChannelStatus> = {}, isRunning = false) {
  const done: string[] = [];
  const channel: CommandTarget = {
    backends: ['claude', 'codex'],
    stop: async () => {
      done.push('stop');
      return isRunning;
    },
    forget: async () => void done.push('forget'),
    status: async () => ({ ...STATUS, ...status }),
    chooseBackend: async (name) => {
      if (name === 'nope') {
        throw new BatonError('backend_unknown', 'Unknown backend "nope".', { hint: 'Use codex.' });
      }
      done.push(`backend ${name}`);
      return name ?? 'claude';
    },
    chooseModel: async (name) => void done.push(`model ${name}`),
  };
  const run = (name: string, argument = '') => runCommand({ name, argument }, channel);
  return { done, run };
}

describe('commandIn', () => {
  test.each([
    ['/Stop', { name: 'stop', argument: '' }],
    ['/stop', { name: 'stop', argument: '' }],
    ['  /new  ', { name: 'new', argument: '' }],
    ['/model  gpt-5 ', { name: 'model', argument: 'gpt-5' }],
  ])('finds the command in "%s"', (text, command) => {
    expect(commandIn(text)).toEqual(command);
  });

  test.each(['stop', '/stopp', '/usr/bin', 'please /stop', '/model a\nb', '/toString', ''])(
    'leaves "%s" to the agent',
    (text) => {
      expect(commandIn(text)).toBeUndefined();
    },
  );

  test('knows every command that is described', () => {
    for (const { name } of COMMAND_DESCRIPTIONS) {
      expect(commandIn(`/${name}`)).toEqual({ name, argument: '' });
    }
  });
});

describe('runCommand', () => {
  test('stops, and says how many messages wait', async () => {
    expect(await target({ waiting: 1 }, true).run('stop')).toBe('Stopping.');
    expect(await target({ waiting: 2 }, true).run('stop')).toBe('Stopping. 1 message is waiting.');
    expect(await target({ waiting: 4 }, true).run('stop')).toBe(
      'Stopping. 3 messages are waiting.',
    );
    expect(await target().run('stop')).toBe('Nothing is running.');
  });

  test('forgets the conversation', async () => {
    const { run, done } = target();
    expect(await run('new')).toBe('The next message starts a new conversation.');
    expect(done).toEqual(['forget']);
  });

  test('shows and changes the agent', async () => {
    const { run, done } = target();
    expect(await run('backend')).toBe('This channel uses claude. Agents: claude, codex.');
    expect(await run('backend', ' codex ')).toContain('This channel now uses codex.');
    expect(await run('backend', 'default')).toContain('This channel now uses claude.');
    expect(await run('backend', 'nope')).toBe('Unknown backend "nope". Use codex.');
    expect(done).toEqual(['backend codex', 'backend undefined']);
  });

  test('shows and changes the model', async () => {
    const { run, done } = target();
    expect(await run('model')).toBe("This channel uses the agent's own model.");
    expect(await target({ model: 'gpt-5' }).run('model')).toBe('This channel uses gpt-5.');
    expect(await run('model', 'anthropic/claude-opus-4[1m]')).toBe(
      'This channel now uses the model anthropic/claude-opus-4[1m].',
    );
    expect(await run('model', 'default')).toBe('This channel now uses the default model.');
    expect(done).toEqual(['model anthropic/claude-opus-4[1m]', 'model undefined']);
  });

  test.each(['--yolo', '-m', 'a b', 'a\u202eb', '$(id)', 'a;b', 'a`b`', 'x'.repeat(300)])(
    'does not pass "%s" to the program of an agent as a model',
    async (name) => {
      const { run, done } = target();
      expect(await run('model', name)).toContain('This is not the name of a model');
      expect(done).toEqual([]);
    },
  );

  test('shows the status', async () => {
    const text = await target({
      ...{ runningMs: 61_000, waiting: 3, model: 'gpt-5', place: 'http://daemon', session: 's1' },
    }).run('status');
    expect(text.split('\n')).toEqual([
      'Running for 61 s',
      '2 messages are waiting',
      'Agent: claude (gpt-5)',
      'Permission mode: ask',
      'Folder: /workspace',
      'Daemon: http://daemon',
      'Conversation: s1',
    ]);
  });

  test('shows what was used', async () => {
    const usage = { totalTokens: 1234, costUsd: 0.5, costEstimated: true };
    expect(await target({ usage }).run('cost')).toBe(
      'Used in this channel: 1,234 tokens, ~$0.50. The cost is an estimate from list prices.',
    );
    expect(await target().run('cost')).toBe('Nothing was reported as used yet.');
  });

  test('lists all commands', async () => {
    const text = await target().run('help');
    expect(text.split('\n')).toHaveLength(COMMAND_DESCRIPTIONS.length);
    expect(text).toContain('/model [name of the model, or "default"]: ');
  });

  test('refers to the list for an unknown command', async () => {
    expect(await target().run('nope')).toBe('Unknown command "/nope". See /help.');
  });
});
