import { BatonError, DEFAULT_RETRY, type WorkspaceEvent } from '@baton/protocol';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { HOST_REPORT, type RunReport } from './agents/run-report.ts';
import { HOST_STYLE } from './agents/run-style.ts';
import { GatewayWorld } from './testing/gateway-world.ts';
import { ScriptedAgents } from './testing/scripted-agents.ts';
import { CHANNEL, ScriptedChannel } from './testing/scripted-channel.ts';

/** An agent whose runs wait until the test releases them. */
function heldAgents(options: ConstructorParameters<typeof ScriptedAgents>[0] = {}) {
  const agents = new ScriptedAgents(options);
  const held = Promise.withResolvers<void>();
  agents.script = async (stage, { prompt }) => {
    stage.say('Working on it.');
    await stage.until(held.promise);
    return `Done: ${prompt}`;
  };
  return { agents, release: () => held.resolve() };
}

const IN_GUILD = { guild: 'test:guild' };

describe('a gateway', () => {
  test('answers a message', async () => {
    const world = await GatewayWorld.start();
    expect(await world.ask('Hi')).toBe('You said: Hi');
    expect(world.agents.calls[0]).toMatchObject({ backend: 'claude', prompt: 'Hi' });
  });

  test('shows a draft that becomes the answer', async () => {
    const { agents, release } = heldAgents();
    const world = await GatewayWorld.start({ agents });
    const id = await world.chat.say('Hi');
    await world.sees('Working on it.');
    expect(world.chat.shown()).toMatchObject([{ isDraft: true, replyTo: id }]);
    release();
    await world.answer(id);
    expect(world.chat.shown()).toMatchObject([{ isDraft: false, text: 'Done: Hi' }]);
  });

  test('sends an answer below what was asked, and leaves a summary of the draft', async () => {
    const agents = new ScriptedAgents();
    agents.script = async (stage) => {
      stage.say('Working on it.');
      stage.runTool('npm test');
      await drafted.promise;
      await stage.askPermission();
      return 'Done.';
    };
    const drafted = Promise.withResolvers<void>();
    const world = await GatewayWorld.start({ agents });
    const id = await world.chat.say('Hi');
    await world.sees('npm test');
    drafted.resolve();
    await world.sees('Allow');
    await world.chat.press('Allow once');
    await world.answer(id);
    await world.sees('Allowed once');
    expect(world.chat.shown().map(({ text }) => text.split('\n')[0])).toEqual([
      '🔧 1 tool used',
      expect.stringContaining('Allowed once'),
      'Done.',
    ]);
  });

  test('continues the conversation of a channel', async () => {
    const world = await GatewayWorld.start();
    await world.ask('one');
    await world.ask('two');
    await world.ask('other', { channel: 'test:2', ...IN_GUILD });
    expect(world.agents.calls.map(({ sessionId }) => sessionId)).toEqual([
      undefined,
      'session 1',
      undefined,
    ]);
  });

  test('reports an error of the agent, with a retry that runs once', async () => {
    const world = await GatewayWorld.start();
    const { script } = world.agents;
    world.agents.script = async () => {
      throw new BatonError('provider_error', 'The model is overloaded.');
    };
    const id = await world.chat.say('Hi');
    expect(await world.answer(id)).toBe('⚠️ The model is overloaded.');
    world.agents.script = script;
    const acknowledged = await Promise.all([world.chat.press('Retry'), world.chat.press('Retry')]);
    expect(acknowledged[0]).toBe('Running it again.');
    expect(acknowledged[1]).toContain('already');
    await world.sees('You said: Hi');
    await world.gateway.idle();
    expect(world.agents.calls).toHaveLength(2);
    expect(await world.chat.press('Retry')).toContain('already');
    expect(world.chat.repliesTo(id)).toEqual(['⚠️ The model is overloaded.', 'You said: Hi']);
  });

  test('calls the hooks', async () => {
    const hooks = { startup: 'a', beforeRun: 'b', afterRun: 'c', shutdown: 'd' };
    const world = await GatewayWorld.start({ config: { hooks } });
    const id = await world.chat.say('Hi');
    await world.answer(id);
    await world.gateway.stop();
    expect(world.hooks).toEqual([
      'startup a',
      `beforeRun b ${id}`,
      `afterRun c ${id} answered`,
      'shutdown d',
    ]);
  });

  test('does not start without its agent, and names it and its path', async () => {
    const agents = new ScriptedAgents({ installed: ['codex'] });
    const world = await GatewayWorld.create({ agents });
    await expect(world.gateway.start()).rejects.toThrow(
      'Backend "claude" cannot be started: /opt/claude was not found or is not executable.',
    );
  });

  test('names the daemon on which its agent is missing', async () => {
    const agents = new ScriptedAgents({ installed: [], place: 'http://daemon' });
    const world = await GatewayWorld.create({ agents });
    await expect(world.gateway.start()).rejects.toThrow(
      'Backend "claude" is not installed where the daemon http://daemon runs agents.',
    );
  });

  test('keeps 200 channels in order, with bounded concurrency, beside a noisy one', async () => {
    const agents = new ScriptedAgents();
    const order: string[] = [];
    agents.script = async (_stage, { prompt }) => {
      order.push(prompt);
      return prompt;
    };
    const world = await GatewayWorld.create({ agents, config: { concurrency: 3 } });
    // All are stored before the first one runs, so that the order is that of the queue.
    for (let index = 0; index < 20; index += 1) world.chat.write(`noisy ${index}`);
    const channels = Array.from({ length: 200 }, (_, index) => `test:c${index}`);
    for (const channel of channels) world.chat.write(`quiet ${channel}`, { channel, ...IN_GUILD });
    for (const channel of [CHANNEL, ...channels]) {
      await world.store.gatewayChannels.seen(channel, '0');
    }
    await world.gateway.start();
    await world.gateway.idle();
    await world.gateway.stop();
    expect(order).toHaveLength(220);
    expect(agents.most).toBeLessThanOrEqual(3);
    const noisy = order.filter((prompt) => prompt.startsWith('noisy'));
    expect(noisy).toEqual(Array.from({ length: 20 }, (_, index) => `noisy ${index}`));
    // Each of the others runs before the noisy channel gets its third turn.
    const third = order.indexOf('noisy 2');
    expect(order.slice(0, third).filter((prompt) => prompt.startsWith('quiet'))).toHaveLength(200);
    for (const channel of channels) expect(world.chat.texts(channel)).toEqual([`quiet ${channel}`]);
  });

  test('stores messages that arrive during its start after those that it has missed', async () => {
    const first = await GatewayWorld.start();
    await first.ask('zero');
    await first.gateway.stop();
    const next = await first.killed();
    next.chat.write('one');
    const start = next.chat.start.bind(next.chat);
    let said: Promise<string> | undefined;
    next.chat.start = async (receiver) => {
      await start(receiver);
      said = next.chat.say('two');
      // Another platform that takes long to connect.
      await next.store.gatewayChannels.lastMessages();
    };
    await next.gateway.start();
    await said;
    await next.gateway.idle();
    await next.gateway.stop();
    expect(next.agents.calls.map(({ prompt }) => prompt)).toEqual(['one', 'two']);
  });

  test('ends with the error of a platform that fails for good', async () => {
    const world = await GatewayWorld.start();
    world.chat.receiver.onEnd(new Error('The token was revoked.'));
    await expect(world.gateway.ended).rejects.toThrow('The token was revoked.');
  });

  test('denies what is asked when nobody is left to answer', async () => {
    const agents = new ScriptedAgents();
    agents.script = async (stage) => {
      const { decision, by, reason } = await stage.askPermission();
      return `${decision} by ${by}: ${reason}`;
    };
    const world = await GatewayWorld.start({ agents });
    const id = await world.chat.say('Hi');
    await world.sees('Allow');
    world.chat.receiver.onEnd();
    await world.gateway.ended;
    expect(await world.answer(id)).toContain('deny by nobody: ');
    expect(world.chat.shown().flatMap(({ buttons }) => buttons)).toEqual([]);
  });
});

describe('/stop', () => {
  test('stops the running message, without a retry', async () => {
    const { agents } = heldAgents();
    const world = await GatewayWorld.start({ agents });
    const id = await world.chat.say('Hi');
    await world.runs(1);
    expect(await world.chat.command('stop')).toEqual({ text: 'Stopping.', onlyToUser: false });
    expect(await world.answer(id)).toBe('Stopped.');
    expect(agents.runs[0]?.isStopped).toBe(true);
    expect(world.chat.shown().flatMap(({ buttons }) => buttons)).toEqual([]);
  });

  test('stops a message that was taken but has not begun to run', async () => {
    const world = await GatewayWorld.start();
    const saying = world.chat.say('Hi');
    const stopping = saying.then(() => world.chat.command('stop'));
    const id = await saying;
    expect(await stopping).toMatchObject({ text: 'Stopping.' });
    expect(await world.answer(id)).toBe('Stopped.');
    expect(await world.ask('Again')).toBe('You said: Again');
  });

  test('stops a message that waits for its turn behind those of other channels', async () => {
    const { agents, release } = heldAgents();
    const world = await GatewayWorld.start({ agents, config: { concurrency: 1 } });
    await world.chat.say('other', { channel: 'test:2', ...IN_GUILD });
    await world.runs(1);
    const id = await world.chat.say('mine');
    expect(await world.chat.command('stop')).toMatchObject({ text: 'Stopping.' });
    release();
    expect(await world.answer(id)).toBe('Stopped.');
    expect(agents.calls.map(({ prompt }) => prompt)).toEqual(['other']);
  });

  test('stops only one message, and says how many wait', async () => {
    const { agents, release } = heldAgents();
    const world = await GatewayWorld.start({ agents });
    const first = await world.chat.say('one');
    const second = await world.chat.say('two');
    await world.runs(1);
    expect(await world.chat.command('stop')).toMatchObject({
      text: 'Stopping. 1 message is waiting.',
    });
    expect(await world.answer(first)).toBe('Stopped.');
    release();
    expect(await world.answer(second)).toBe('Done: two');
  });

  test('ends the pause before a retry', async () => {
    const agents = new ScriptedAgents();
    const world = await GatewayWorld.start({ agents });
    let attempts = 0;
    agents.launch = async () => {
      attempts += 1;
      throw new BatonError('daemon_unreachable', 'busy');
    };
    const id = await world.chat.say('Hi');
    await vi.waitFor(() => expect(world.log.join()).toContain('Retrying'));
    await world.chat.command('stop');
    expect(await world.answer(id)).toBe('Stopped.');
    expect(attempts).toBe(1);
  });

  test('withdraws what the agent asks', async () => {
    const agents = new ScriptedAgents();
    agents.script = async (stage) => (await stage.askPermission()).decision;
    const world = await GatewayWorld.start({ agents });
    const id = await world.chat.say('Hi');
    await world.sees('Allow');
    const { value } = world.chat.shown()[0]?.buttons[0] ?? { value: '' };
    await world.chat.command('stop');
    expect(await world.answer(id)).toContain('Stopped.');
    await world.sees('No longer needed');
    expect(await world.chat.press(value)).toBe('This request has expired.');
  });

  test('that was sent while the gateway was down stops the message before it', async () => {
    const world = await GatewayWorld.create();
    await world.store.gatewayChannels.seen(CHANNEL, '0');
    world.chat.write('/stop');
    const { messageId } = world.chat.write('one');
    world.chat.write('/stop');
    world.chat.write('two');
    await world.gateway.start();
    await world.gateway.idle();
    await world.gateway.stop();
    expect(world.chat.repliesTo(messageId)).toEqual(['Stopped.']);
    expect(world.agents.calls.map(({ prompt }) => prompt)).toEqual(['two']);
  });

  test('that was sent after a kill does not stop what comes later', async () => {
    const { agents } = heldAgents();
    const world = await GatewayWorld.create({ agents });
    await world.gateway.start();
    const id = await world.chat.say('one');
    await world.runs(1);
    const next = await world.killed();
    next.chat.write('/stop');
    await next.gateway.start();
    expect(await next.answer(id)).toContain('The gateway was restarted');
    expect(await next.ask('two')).toBe('You said: two');
    await next.gateway.stop();
  });

  test('says so when nothing runs', async () => {
    const world = await GatewayWorld.start();
    expect(await world.chat.command('stop')).toMatchObject({ text: 'Nothing is running.' });
  });
});

describe('/new', () => {
  test('starts a new conversation with the next message', async () => {
    const world = await GatewayWorld.start();
    await world.ask('one');
    await world.chat.command('new');
    await world.ask('two');
    expect(world.agents.calls.map(({ sessionId }) => sessionId)).toEqual([undefined, undefined]);
  });

  test('during a run also forgets the session of that run', async () => {
    const { agents, release } = heldAgents();
    const world = await GatewayWorld.start({ agents });
    const id = await world.chat.say('one');
    await world.runs(1);
    await world.chat.command('new');
    release();
    await world.answer(id);
    await world.ask('two');
    expect(agents.calls[1]?.sessionId).toBeUndefined();
  });

  test('forgets the session of the agent that runs, not of one chosen meanwhile', async () => {
    const { agents, release } = heldAgents();
    release();
    const world = await GatewayWorld.start({ agents });
    await world.chat.command('backend', 'codex');
    await world.ask('for codex');
    await world.chat.command('backend', 'claude');
    const again = Promise.withResolvers<void>();
    agents.script = async (stage) => {
      await stage.until(again.promise);
      return 'Done';
    };
    const id = await world.chat.say('for claude');
    await world.runs(2);
    await world.chat.command('new');
    await world.chat.command('backend', 'codex');
    again.resolve();
    await world.answer(id);
    expect(await world.store.gatewaySessions.get(CHANNEL, 'claude')).toBeUndefined();
    expect(await world.store.gatewaySessions.get(CHANNEL, 'codex')).toBe('session 1');
  });
});

describe('other commands', () => {
  test('change the agent and the model of one channel, and survive a restart', async () => {
    const world = await GatewayWorld.start();
    expect(await world.chat.command('backend', 'codex')).toMatchObject({
      text: 'This channel now uses codex. Each agent has its own conversation.',
    });
    await world.chat.command('model', 'gpt-5');
    await world.ask('Hi');
    await world.ask('Hi', { channel: 'test:2', ...IN_GUILD });
    const next = await world.killed();
    await next.gateway.start();
    await next.ask('Again');
    await next.gateway.stop();
    expect(world.agents.calls).toMatchObject([
      { backend: 'codex', model: 'gpt-5' },
      { backend: 'claude', model: undefined },
    ]);
    expect(next.agents.calls).toMatchObject([
      { backend: 'codex', model: 'gpt-5', sessionId: 'session 1' },
    ]);
  });

  test('do not choose an agent that is unknown or not installed', async () => {
    const agents = new ScriptedAgents({ installed: ['claude'] });
    const world = await GatewayWorld.start({ agents });
    expect((await world.chat.command('backend', 'nope'))?.text).toContain(
      'Unknown backend "nope".',
    );
    expect((await world.chat.command('backend', 'codex'))?.text).toContain(
      'codex is not installed.',
    );
    expect((await world.chat.command('backend'))?.text).toBe(
      'This channel uses claude. Agents: claude, codex.',
    );
  });

  test('do not keep a choice that is no longer available', async () => {
    const world = await GatewayWorld.start();
    await world.store.gatewayChannels.choose(CHANNEL, { backend: 'retired', model: 'old' });
    await world.ask('Hi');
    expect(world.agents.calls).toMatchObject([{ backend: 'claude', model: undefined }]);
  });

  test('show the status', async () => {
    const { agents } = heldAgents();
    const world = await GatewayWorld.start({ agents });
    expect((await world.chat.command('status'))?.text).toBe(
      [
        'Idle',
        'Agent: claude',
        'Permission mode: ask',
        'Folder: /nowhere/workspace',
        'Conversation: none yet',
      ].join('\n'),
    );
    await world.chat.say('one');
    await world.chat.say('two');
    await world.runs(1);
    const running = (await world.chat.command('status'))?.text ?? '';
    expect(running).toMatch(/^Running for \d+ s\n1 message is waiting\n/);
  });

  test('add up what a channel has used', async () => {
    const agents = new ScriptedAgents();
    agents.script = async (stage) => {
      stage.usage = { totalTokens: 1000, costUsd: 0.25 };
      return 'ok';
    };
    const world = await GatewayWorld.start({ agents });
    expect((await world.chat.command('cost'))?.text).toBe('Nothing was reported as used yet.');
    await world.ask('one');
    await world.ask('two');
    expect((await world.chat.command('cost'))?.text).toBe(
      'Used in this channel: 2,000 tokens, $0.50.',
    );
  });
});

test('adds up what all attempts at a message have used', async () => {
  // The agent provably did nothing.
  const end: RunReport['end'] = (result) => {
    const { isError, ...answer } = HOST_REPORT.end(result);
    if (!isError) return { ...answer, isError };
    return { ...answer, isError, failure: { isTransient: true, mayHaveActed: false } };
  };
  const style = { ...HOST_STYLE, report: () => ({ ...HOST_REPORT, end }) };
  const world = await GatewayWorld.start({ agents: new ScriptedAgents({ style }) });
  world.agents.script = async (stage) => {
    stage.usage = { totalTokens: 10 };
    if (world.agents.calls.length > 1) return 'ok';
    throw new BatonError('provider_error', 'busy');
  };
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const id = await world.chat.say('Hi');
  await world.runs(1);
  await vi.advanceTimersByTimeAsync(DEFAULT_RETRY.baseMs);
  expect(await world.answer(id)).toBe('ok');
  expect((await world.chat.command('cost'))?.text).toBe('Used in this channel: 20 tokens.');
});

describe('stopping the gateway', () => {
  test('stops agents, and offers to retry their messages', async () => {
    const { agents } = heldAgents();
    const world = await GatewayWorld.start({ agents });
    const id = await world.chat.say('Hi');
    await world.runs(1);
    await world.gateway.stop();
    expect(agents.runs[0]?.isStopped).toBe(true);
    expect(world.chat.repliesTo(id)).toEqual([
      '⚠️ The gateway was stopped while the agent was working.',
    ]);
    expect(world.chat.shown()[0]?.buttons).toMatchObject([{ label: 'Retry' }]);
    expect(world.chat.isStopped).toBe(true);
  });

  test('keeps messages whose agent had not started, for the next start', async () => {
    const { agents } = heldAgents();
    const world = await GatewayWorld.start({ agents });
    await world.chat.say('one');
    await world.chat.say('two');
    await world.runs(1);
    await world.gateway.stop();
    const next = await world.killed();
    await next.gateway.start();
    await next.gateway.idle();
    await next.gateway.stop();
    expect(next.agents.calls.map(({ prompt }) => prompt)).toEqual(['two']);
  });

  test('does not report a message whose agent was about to start', async () => {
    const chat = new ScriptedChannel();
    const world = await GatewayWorld.start({ chat });
    const downloading = Promise.withResolvers<void>();
    const asked = Promise.withResolvers<void>();
    chat.upload('a.txt', 'text');
    const download = chat.download.bind(chat);
    chat.download = async (file) => {
      asked.resolve();
      await downloading.promise;
      return download(file);
    };
    const id = await chat.say('Read this', { files: ['a.txt'] });
    await asked.promise;
    const stopped = world.gateway.stop();
    downloading.resolve();
    await stopped;
    expect(chat.repliesTo(id)).toEqual([]);
    const next = await world.killed();
    await next.gateway.start();
    expect(await next.answer(id)).toContain('You said: Read this');
    await next.gateway.stop();
  });

  test('does not wait for a platform that takes no replies', async () => {
    const world = await GatewayWorld.start();
    world.chat.hold('send');
    const id = await world.chat.say('Hi');
    await vi.waitFor(() => expect(world.chat.calls.map(({ kind }) => kind)).toContain('send'));
    const stopped = world.gateway.stop();
    // The second call gives up on replies.
    await Promise.all([stopped, world.gateway.stop()]);
    const next = await world.killed();
    await next.gateway.start();
    expect(await next.answer(id)).toBe('You said: Hi');
    await next.gateway.stop();
    expect(next.agents.calls).toEqual([]);
  });

  test('leaves a run to its daemon, and the next start joins it', async () => {
    const { agents } = heldAgents({ place: 'http://daemon' });
    const hooks = { beforeRun: 'b', afterRun: 'c' };
    const world = await GatewayWorld.start({ agents, config: { hooks } });
    const id = await world.chat.say('Hi');
    await world.runs(1);
    await world.gateway.stop();
    expect(agents.runs[0]).toMatchObject({ isStopped: false, cancels: [] });
    expect(world.hooks).toEqual([`beforeRun b ${id}`]);
    const next = await world.killed(new ScriptedAgents({ place: 'http://daemon' }));
    await next.gateway.start();
    expect(await next.answer(id)).toBe('You said: Hi');
    await next.gateway.stop();
    expect(next.agents.calls[0]?.request.taskId).toBe(agents.calls[0]?.request.taskId);
  });
});

describe('after a gateway was killed', () => {
  test('before the run, the message runs', async () => {
    const world = await GatewayWorld.create();
    const start = world.store.gatewayEvents.start.bind(world.store.gatewayEvents);
    world.store.gatewayEvents.start = () => new Promise(() => {});
    await world.gateway.start();
    const id = await world.chat.say('Hi');
    world.store.gatewayEvents.start = start;
    const next = await world.killed();
    await next.gateway.start();
    expect(await next.answer(id)).toBe('You said: Hi');
    await next.gateway.stop();
  });

  test('during the run, the message is reported as interrupted and can be retried', async () => {
    const { agents } = heldAgents();
    const world = await GatewayWorld.create({ agents });
    await world.gateway.start();
    const id = await world.chat.say('Hi');
    await world.sees('Working on it.');
    const next = await world.killed();
    await next.gateway.start();
    expect(await next.answer(id)).toContain(
      'The gateway was restarted while the agent was working.',
    );
    // The draft has become the report.
    expect(next.chat.shown()).toHaveLength(1);
    await next.chat.press('Retry');
    await next.sees('You said: Hi');
    await next.gateway.stop();
    expect(next.agents.calls).toHaveLength(1);
  });

  test('after the result was stored, the answer is sent once', async () => {
    const world = await GatewayWorld.create();
    world.chat.hold('send');
    await world.gateway.start();
    const id = await world.chat.say('Hi');
    await vi.waitFor(() => expect(world.chat.calls.map(({ kind }) => kind)).toContain('send'));
    const next = await world.killed();
    await next.gateway.start();
    expect(await next.answer(id)).toBe('You said: Hi');
    await next.gateway.stop();
    expect(next.agents.calls).toEqual([]);
    expect(next.chat.texts()).toEqual(['You said: Hi']);
  });

  test('while a draft waits for the platform, the answer is not lost', async () => {
    const { agents, release } = heldAgents();
    const world = await GatewayWorld.create({ agents });
    await world.gateway.start();
    const id = await world.chat.say('Hi');
    await world.sees('Working on it.');
    world.chat.hold('edit');
    agents.runs[0]?.emit('message.delta', { messageId: 'm1', kind: 'text', text: ' Still.' });
    await vi.waitFor(() => expect(world.chat.calls.map(({ kind }) => kind)).toContain('edit'));
    release();
    const key = { channel_id: CHANNEL, message_id: id };
    await vi.waitFor(async () =>
      expect(await world.store.gatewayEvents.get(key)).toMatchObject({ state: 'replying' }),
    );
    const next = await world.killed();
    await next.gateway.start();
    expect(await next.answer(id)).toBe('Done: Hi');
    await next.gateway.stop();
  });

  test('between two parts of an answer, the rest is sent', async () => {
    const agents = new ScriptedAgents();
    const answer = Array.from({ length: 300 }, (_, index) => `line ${index}`).join('\n');
    agents.script = async () => answer;
    const world = await GatewayWorld.create({ agents });
    const { store } = world;
    const storeSent = store.gatewayEvents.storeSent.bind(store.gatewayEvents);
    const isSent = Promise.withResolvers<void>();
    // Killed after the platform has taken the first part, before that is stored.
    store.gatewayEvents.storeSent = async () => {
      isSent.resolve();
      return new Promise(() => {});
    };
    await world.gateway.start();
    const id = await world.chat.say('Hi');
    await isSent.promise;
    store.gatewayEvents.storeSent = storeSent;
    const next = await world.killed();
    await next.gateway.start();
    await next.answer(id);
    await next.gateway.stop();
    expect(next.chat.texts()).toHaveLength(2);
    expect(next.chat.texts().join('\n').split('\n').filter(Boolean)).toEqual(answer.split('\n'));
  });

  test('before a draft was confirmed, the answer takes the place of the draft', async () => {
    const { agents } = heldAgents();
    const world = await GatewayWorld.create({ agents });
    const send = world.chat.send.bind(world.chat);
    const isSent = Promise.withResolvers<void>();
    world.chat.send = async (...input) => {
      await send(...input);
      isSent.resolve();
      return new Promise(() => {});
    };
    await world.gateway.start();
    const id = await world.chat.say('Hi');
    await isSent.promise;
    expect(world.chat.texts()).toEqual(['Working on it.']);
    const next = await world.killed();
    await next.gateway.start();
    await next.answer(id);
    await next.gateway.stop();
    expect(next.chat.texts()).toHaveLength(1);
    expect(next.chat.texts()[0]).toContain('The gateway was restarted');
  });

  test('buttons of a run that its daemon goes on with still work', async () => {
    const place = 'http://daemon';
    const agents = new ScriptedAgents({ place });
    agents.script = async (stage) => (await stage.askPermission()).decision;
    const world = await GatewayWorld.create({ agents });
    await world.gateway.start();
    const id = await world.chat.say('Hi');
    await world.sees('Allow');
    const [{ value } = { value: '' }] = world.chat.shown()[0]?.buttons ?? [];
    const joined = new ScriptedAgents({ place });
    joined.script = agents.script;
    const next = await world.killed(joined);
    await next.gateway.start();
    await next.runs(1);
    // The request is asked again once the rules of the daemon have not settled it.
    await vi.waitFor(() => expect(next.chat.calls.some(({ kind }) => kind === 'edit')).toBe(true));
    expect(await next.chat.press(value)).toBeUndefined();
    expect(await next.answer(id)).toContain('allow');
    await next.gateway.stop();
    expect(next.chat.shown()).toHaveLength(2);
  });
});

describe('a channel with a worktree', () => {
  const config = { worktrees: [CHANNEL] };

  /** Agents that tell the gateway where they work. */
  function placedAgents() {
    const agents = new ScriptedAgents();
    agents.script = async (_stage, { request }) => {
      const { workspace_id = '' } = request.workspace ?? {};
      const workspace = { workspace_id, branch: `baton/${workspace_id}`, cwd: '/worktree' };
      request.onWorkspace?.({ type: 'workspace.updated', workspace } as WorkspaceEvent);
      return 'Done';
    };
    return agents;
  }
  const idsOf = ({ agents }: GatewayWorld) =>
    agents.calls.map(({ request }) => request.workspace?.workspace_id);

  test('works in one worktree, also after a restart', async () => {
    const world = await GatewayWorld.start({ agents: placedAgents(), config });
    await world.ask('one');
    await world.ask('two');
    const [id, again] = idsOf(world);
    expect(id).toMatch(/^ws_[0-9a-f]{16}$/);
    expect(again).toBe(id);
    const status = (await world.chat.command('status'))?.text;
    expect(status).toContain(`Folder: /worktree\nBranch: baton/${id}`);
    await world.gateway.stop();
    const next = await world.killed(placedAgents());
    onTestFinished(() => next.gateway.stop());
    await next.gateway.start();
    await next.ask('three');
    expect(idsOf(next)).toEqual([id]);
  });

  test('gets another one with a new conversation, for all its agents', async () => {
    const world = await GatewayWorld.start({ agents: placedAgents(), config });
    await world.ask('one');
    await world.chat.command('backend', 'codex');
    await world.ask('two');
    await world.chat.command('new');
    expect((await world.chat.command('status'))?.text).not.toContain('Branch');
    await world.ask('three');
    await world.chat.command('backend', 'claude');
    await world.ask('four');
    const [one, two, three, four] = idsOf(world);
    expect([two, four]).toEqual([one, three]);
    expect(three).not.toBe(one);
    expect(world.agents.calls.at(-1)?.sessionId).toBeUndefined();
  });

  test('stays in the folder if its conversation began there', async () => {
    const world = await GatewayWorld.start({ agents: placedAgents() });
    await world.ask('one');
    const { store, chat } = world;
    await world.gateway.stop();
    const next = await GatewayWorld.start({
      ...{ store, config, agents: placedAgents(), chat: chat.restarted() },
    });
    await next.ask('two');
    await next.chat.command('new');
    await next.ask('three');
    expect(idsOf(next)).toEqual([undefined, expect.stringMatching(/^ws_/)]);
  });

  test('is one of those that are named', async () => {
    const others = { worktrees: ['test:other'] };
    const world = await GatewayWorld.start({ agents: placedAgents(), config: others });
    await world.ask('one');
    expect(idsOf(world)).toEqual([undefined]);
  });
});
