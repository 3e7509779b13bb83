import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { CliWorld } from '../packages/cli/src/testing/baton.ts';
import {
  botMessage,
  discordEnv,
  fastDiscord,
  labelsOf,
  mockClaude,
  retry,
  script,
  startGateway,
  textsIn,
} from '../packages/cli/src/testing/gateway.ts';
import { operated, operatedApart } from '../packages/cli/src/testing/operated.ts';
import { serveIn } from '../packages/cli/src/testing/served.ts';
import type { FakeDiscord } from '../packages/gateway/src/testing/fake-discord/fake-discord.ts';

const RUN_ONCE = { shell: 'echo run >> ran' };
const NOBODY = { everyone: false, roles: [], users: [] };

async function discordForTest(): Promise<FakeDiscord> {
  const discord = await fastDiscord();
  onTestFinished(() => discord.close());
  return discord;
}

/** A gateway that runs agents in its own process, with the demo agent. */
async function local(more: Record<string, string> = {}) {
  const discord = await discordForTest();
  const world = new CliWorld();
  const gateway = await startGateway(world, { env: { ...discordEnv(discord), ...more } });
  const say = (text: string, channelId = discord.channelId) =>
    discord.say(channelId, discord.userId, text);
  return { discord, world, gateway, say };
}

/** A daemon, and a gateway that runs its agents there. */
async function shared() {
  const discord = await discordForTest();
  const daemon = await operated();
  const { world, url } = daemon;
  const call = { args: ['--daemon', url], env: discordEnv(discord) };
  const start = () => startGateway(world, call);
  const say = (text: string) => discord.say(discord.channelId, discord.userId, text);
  const sessions = async () => (await daemon.client.sessions.find()).data;
  return { ...daemon, discord, start, say, sessions };
}

function linesIn(world: CliWorld, name: string): string[] {
  const path = join(world.cwd, name);
  return existsSync(path) ? readFileSync(path, 'utf8').trimEnd().split('\n') : [];
}

function countIn(discord: FakeDiscord, words: string): number {
  return textsIn(discord).reduce((sum, text) => sum + text.split(words).length - 1, 0);
}

describe('with a daemon', () => {
  test('a conversation in chat is one session of the daemon, and an approval closes there', async () => {
    const { discord, world, start, say, sessions, inbox, client } = await shared();
    const gateway = await start();
    say(script(RUN_ONCE, { say: 'First answer.' }));
    const [pending] = await inbox();
    const request = await botMessage(discord, 'echo run >> ran');
    expect(labelsOf(request)).toEqual(['Allow once', 'Deny']);
    const [session, ...others] = await sessions();
    expect(others).toEqual([]);
    expect(session).toMatchObject({ title: expect.stringMatching(/^discord: demo:script /) });
    expect(pending?.session_id).toBe(session?.session_id);
    const outcome = await discord.press(request.id, 'Allow once', discord.userId);
    expect(outcome).toEqual({ kind: 'acknowledged' });
    await botMessage(discord, 'First answer.');
    await inbox(0);
    expect(request.content).toMatch(/^✅ Allowed once by user-\d+\n/);
    expect(labelsOf(request)).toEqual([]);
    expect(linesIn(world, 'ran')).toEqual(['run']);
    say(script({ say: 'Second answer.' }));
    await botMessage(discord, 'Second answer.');
    const { data: tasks } = await client.tasks.find({ session_id: session?.session_id ?? '' });
    expect(tasks).toHaveLength(2);
    expect(await sessions()).toHaveLength(1);
    expect(await gateway.end()).toBe(0);
  });

  test('an approval that is given elsewhere closes in chat', async () => {
    const { discord, start, say, inbox, client } = await shared();
    const gateway = await start();
    say(script(RUN_ONCE, { say: 'Done.' }));
    const request = await botMessage(discord, 'echo run >> ran');
    const [pending] = await inbox();
    const { session_id = '', task_id = '', request_id = '' } = pending ?? {};
    await client.permissions.answer({
      ...{ session_id, task_id, request_id },
      answer: { decision: 'allow', scope: 'once' },
    });
    await botMessage(discord, 'Done.');
    await expect.poll(() => request.content).toMatch(/^✅ Allowed once elsewhere\n/);
    expect(labelsOf(request)).toEqual([]);
    expect(await gateway.end()).toBe(0);
  });

  test('a request outlives a restart of the gateway: the old button works, the answer comes once', async () => {
    const { discord, world, start, say, inbox } = await shared();
    const first = await start();
    say(script(RUN_ONCE, { say: 'After the restart.' }));
    const request = await botMessage(discord, 'echo run >> ran');
    expect(await first.end()).toBe(0);
    expect(labelsOf(request)).toEqual(['Allow once', 'Deny']);
    await inbox();
    const second = await start();
    await vi.waitFor(async () => {
      const outcome = await discord.press(request.id, 'Allow once', discord.userId);
      expect(outcome).toEqual({ kind: 'acknowledged' });
    });
    await botMessage(discord, 'After the restart.');
    await expect.poll(() => request.content).toMatch(/^✅ Allowed once by user-\d+\n/);
    expect(await second.end()).toBe(0);
    expect(countIn(discord, 'After the restart.')).toBe(1);
    // A slow answer has a draft too, but the request is shown once.
    expect(countIn(discord, '🔒 Allow')).toBe(1);
    expect(linesIn(world, 'ran')).toEqual(['run']);
  });

  /** Approves a request through the daemon while the gateway is down, and writes a message meanwhile. */
  async function approvedMeanwhile() {
    const world = await shared();
    const { discord, start, say, inbox, client } = world;
    const first = await start();
    say(script(RUN_ONCE, { say: 'Approved meanwhile.' }));
    const request = await botMessage(discord, 'echo run >> ran');
    expect(await first.end()).toBe(0);
    const [pending] = await inbox();
    const { session_id = '', task_id = '', request_id = '' } = pending ?? {};
    await client.permissions.answer({
      ...{ session_id, task_id, request_id },
      answer: { decision: 'allow', scope: 'once' },
    });
    say(script({ say: 'Written meanwhile.' }));
    const second = await start();
    await botMessage(discord, 'Approved meanwhile.');
    await botMessage(discord, 'Written meanwhile.');
    return { ...world, request, second };
  }

  test('what is written and approved while the gateway is down is answered after its start', async () => {
    const { discord, world, second } = await approvedMeanwhile();
    expect(await second.end()).toBe(0);
    expect(countIn(discord, 'meanwhile.')).toBe(2);
    expect(linesIn(world, 'ran')).toEqual(['run']);
  });

  test('a request that was settled while the gateway was down loses its buttons', async () => {
    const { request, second } = await approvedMeanwhile();
    expect(await second.end()).toBe(0);
    expect(labelsOf(request)).toEqual([]);
  });

  test('the check and the terminal use the daemon too', async () => {
    const { discord, world, url, sessions } = await shared();
    const check = await world.call({
      args: ['gateway', 'check', '--daemon', url],
      env: discordEnv(discord),
    });
    expect([check.code, check.stderr]).toEqual([0, '']);
    expect(check.stdout).toContain(`✓ Agent: demo (${url})`);
    const { code, stdout } = await world.call({
      args: ['gateway', '--terminal', '--daemon', url, '--permission-mode', 'ask'],
      input: script({ shell: 'echo run >> ran' }, { say: 'At the terminal.' }),
    });
    expect([code, stdout.trim()]).toEqual([0, 'At the terminal.']);
    expect(linesIn(world, 'ran')).toEqual([]);
    expect(await sessions()).toMatchObject([{ title: expect.stringMatching(/^terminal: /) }]);
  });

  test('a restart of the daemon does not end the gateway', async () => {
    const discord = await discordForTest();
    const { world, url, folder, served } = await operatedApart();
    const gateway = await startGateway(world, {
      args: ['--daemon', url],
      env: discordEnv(discord),
    });
    const say = (text: string) => discord.say(discord.channelId, discord.userId, text);
    say(script({ say: 'Before.' }));
    await botMessage(discord, 'Before.');
    const gone = once(served.child, 'exit');
    served.child.kill('SIGTERM');
    await gone;
    say(script(RUN_ONCE, { say: 'After.' }));
    await serveIn(folder, Number(new URL(url).port));
    const request = await botMessage(discord, 'echo run >> ran');
    await discord.press(request.id, 'Allow once', discord.userId);
    await botMessage(discord, 'After.');
    expect(linesIn(world, 'ran')).toEqual(['run']);
    expect(countIn(discord, 'After.')).toBe(1);
    expect(await gateway.end()).toBe(0);
  });

  test('/stop stops the task in the daemon', async () => {
    const { discord, start, say, sessions, client } = await shared();
    const gateway = await start();
    say('demo:stall');
    await botMessage(discord, 'I am going to be silent now.');
    const outcome = await discord.command(discord.channelId, discord.userId, 'stop');
    expect(outcome).toMatchObject({ kind: 'message', text: 'Stopping.' });
    await expect.poll(() => textsIn(discord)).toContain('Stopped.');
    const [session] = await sessions();
    const { data: tasks } = await client.tasks.find({ session_id: session?.session_id ?? '' });
    expect(tasks.map(({ status }) => status)).toEqual(['CANCELLED']);
    expect(await gateway.end()).toBe(0);
  });
});

describe('with allow-all, as in the original gateway', () => {
  test('a conversation of a channel is resumed, also after a restart', async () => {
    const discord = await discordForTest();
    const world = new CliWorld();
    const claude = mockClaude(
      world,
      `const at = process.argv.indexOf('--resume');
       answer(at === -1 ? 'A new session.' : 'Resumed ' + process.argv[at + 1] + '.');`,
    );
    const env = {
      ...discordEnv(discord),
      BATON_PERMISSION_MODE: 'allow-all',
      BATON_BACKEND: 'claude',
      BACKEND_CLI_PATH: claude,
    };
    const say = () => discord.say(discord.channelId, discord.userId, 'Hello');
    const first = await startGateway(world, { env });
    say();
    await botMessage(discord, 'A new session.');
    expect(await first.end()).toBe(0);
    const second = await startGateway(world, { env });
    say();
    await botMessage(discord, 'Resumed session-1.');
    await discord.command(discord.channelId, discord.userId, 'new');
    say();
    await expect.poll(() => countIn(discord, 'A new session.')).toBe(2);
    expect(await second.end()).toBe(0);
    world.expectNothingLeft();
  });

  test('a message that was interrupted runs again if a user asks for it', async () => {
    const discord = await discordForTest();
    const world = new CliWorld();
    const claude = mockClaude(
      world,
      `fs.appendFileSync('ran', 'run\\n');
       if (fs.existsSync('go')) answer('Finished.');
       else setInterval(() => {}, 60_000);`,
    );
    const env = {
      ...discordEnv(discord),
      BATON_PERMISSION_MODE: 'allow-all',
      BATON_BACKEND: 'claude',
      BACKEND_CLI_PATH: claude,
    };
    const first = await startGateway(world, { env });
    discord.say(discord.channelId, discord.userId, 'Hello');
    await expect.poll(() => linesIn(world, 'ran')).toEqual(['run']);
    await first.end('SIGKILL');
    const second = await startGateway(world, { env });
    const reply = await botMessage(discord, 'The gateway was restarted');
    expect(second.log()).toMatch(/Stopped \d+ process/);
    writeFileSync(join(world.cwd, 'go'), '');
    await retry(discord, reply);
    await botMessage(discord, 'Finished.');
    expect(linesIn(world, 'ran')).toEqual(['run', 'run']);
    expect(await second.end()).toBe(0);
    world.expectNothingLeft();
  });
});

describe('a hostile user', () => {
  test('who is not allowed is ignored, and logged once', async () => {
    const { discord, gateway, say } = await local();
    const stranger = discord.addUser();
    for (const text of ['/status', script({ say: 'For a stranger.' }), 'demo:stall']) {
      discord.say(discord.channelId, stranger, text);
    }
    say(script({ say: 'For a user.' }));
    await botMessage(discord, 'For a user.');
    expect(textsIn(discord)).toEqual(['For a user.']);
    expect(gateway.log().split(`Ignoring discord:${stranger} `)).toHaveLength(2);
    expect(await discord.command(discord.channelId, stranger, 'stop')).toEqual({
      kind: 'message',
      text: 'You are not allowed to use this agent.',
      ephemeral: true,
    });
    expect(await gateway.end()).toBe(0);
  });

  test('cannot answer a request: neither as a stranger, nor with a forged button', async () => {
    const { discord, world, gateway, say } = await local();
    const stranger = discord.addUser();
    const other = discord.addChannel();
    say(script({ say: 'A message to forge.' }, RUN_ONCE), other);
    say(script(RUN_ONCE, { say: 'Denied.' }));
    const request = await botMessage(discord, 'echo run >> ran');
    const elsewhere = await botMessage(discord, 'echo run >> ran', other);
    expect(await discord.press(request.id, 'Allow once', stranger)).toEqual({
      kind: 'message',
      text: 'You are not allowed to use this agent.',
      ephemeral: true,
    });
    const [button] = request.components.flatMap((row) => row.components);
    const [target] = elsewhere.components.flatMap((row) => row.components);
    if (!button || !target) throw new Error('The requests have no buttons.');
    const { custom_id: real } = button;
    const forged = [
      real.replace(/[0-9a-f]{16}/, '0'.repeat(16)),
      // Of another channel.
      target.custom_id,
      `retry:${request.id}`,
      'request:',
      'request::::',
      '__proto__',
      'x'.repeat(100),
    ];
    for (const id of forged) {
      button.custom_id = id;
      const outcome = await discord.press(request.id, 'Allow once', discord.userId);
      expect([id, outcome]).toEqual([
        id,
        { kind: 'message', text: expect.any(String), ephemeral: true },
      ]);
    }
    expect(linesIn(world, 'ran')).toEqual([]);
    button.custom_id = real;
    expect(labelsOf(request)).toEqual(['Allow once', 'Deny']);
    await discord.press(request.id, 'Deny', discord.userId);
    await botMessage(discord, 'Denied.');
    expect(linesIn(world, 'ran')).toEqual([]);
    expect(await gateway.end()).toBe(0);
  });

  test('cannot make the bot notify anyone', async () => {
    const { discord, gateway, say } = await local();
    const mentions = `@everyone @here <@${discord.userId}> <@!${discord.userId}> <@&${discord.guildId}>`;
    say(script({ shell: `echo '${mentions}'` }, { say: mentions }));
    const request = await botMessage(discord, 'Allow');
    await discord.press(request.id, 'Allow once', discord.userId);
    await expect.poll(() => textsIn(discord).length).toBe(2);
    say(script({ fail: mentions }));
    await botMessage(discord, '⚠️');
    for (const { content, pings } of discord.botMessages(discord.channelId)) {
      expect([content, pings]).toEqual([content, NOBODY]);
    }
    expect(await gateway.end()).toBe(0);
  });

  test('gets long answers complete, in messages that fit', async () => {
    const { discord, gateway, say } = await local();
    const lines = Array.from({ length: 100 }, (_, line) => `line ${line} ${'x'.repeat(40)}`);
    say(script({ say: lines.join('\n') }));
    await botMessage(discord, lines.at(-1) ?? '');
    const texts = textsIn(discord);
    expect(texts.length).toBeGreaterThan(2);
    expect(texts.every((text) => text.length <= 2000)).toBe(true);
    expect(texts.join('\n').split('\n')).toEqual(lines);

    const channel = discord.addChannel();
    say(script({ say: `\`\`\`ts\n${lines.join('\n')}\n\`\`\`` }), channel);
    await botMessage(discord, lines.at(-1) ?? '', channel);
    const blocks = textsIn(discord, channel);
    expect(blocks.every((text) => /^```ts\n[\s\S]*\n```$/.test(text))).toBe(true);
    const code = blocks.flatMap((text) => text.split('\n').slice(1, -1));
    expect(code).toEqual(lines);
    expect(await gateway.end()).toBe(0);
  });

  test('gets a huge answer as a file, and cannot send a huge message', async () => {
    const { discord, gateway, say } = await local();
    say('demo:flood=13000');
    const note = await botMessage(discord, 'is attached');
    const [file] = note.attachments;
    const numbers = Array.from({ length: 13_000 }, (_, index) => `${index + 1}`);
    const content = Buffer.from(file?.content ?? []).toString('utf8');
    expect(content.length).toBeGreaterThan(60_000);
    expect(content.trim().split(' ')).toEqual(numbers);
    expect(file?.name).toBe('answer.md');
    say(`${script({ say: 'Too much.' })}${' '.repeat(50_000)}${'x'.repeat(60_000)}`);
    await botMessage(discord, 'This message is too long.');
    expect(countIn(discord, 'Too much.')).toBe(0);
    expect(await gateway.end()).toBe(0);
  });
});

test('200 channels are answered in order, in turn and with bounded memory', async () => {
  const CONCURRENCY = 6;
  const NOISE = 15;
  const discord = await discordForTest();
  const world = new CliWorld();
  const runs = join(world.home, 'runs');
  const gate = join(world.home, 'gate');
  // A shell, because hundreds of Node processes take long. None ends before all messages are stored.
  const claude = join(world.home, 'claude');
  writeFileSync(
    claude,
    `#!/bin/sh
     id=$(printf '%s' "$* $(cat)" | grep -o 'id=[a-z0-9-]*' | tail -n 1)
     echo "start $id" >> '${runs}'
     while [ ! -e '${gate}' ]; do sleep 0.02; done
     echo "end $id" >> '${runs}'
     echo '{"type":"system","subtype":"init","session_id":"s"}'
     echo '{"type":"result","subtype":"success","is_error":false,"result":"answer to '"$id"'","session_id":"s"}'
    `,
    { mode: 0o755 },
  );
  const channels = Array.from({ length: 200 }, () => discord.addChannel());
  const gateway = await startGateway(world, {
    env: {
      ...discordEnv(discord),
      BATON_PERMISSION_MODE: 'allow-all',
      BATON_BACKEND: 'claude',
      BACKEND_CLI_PATH: claude,
      BATON_GATEWAY_CONCURRENCY: `${CONCURRENCY}`,
    },
  });
  const before = world.memory(gateway.pid);
  const noise = Array.from({ length: NOISE }, (_, index) => `id=noise-${index}`);
  for (const text of noise) discord.say(discord.channelId, discord.userId, text);
  for (const [index, channel] of channels.entries()) {
    discord.say(channel, discord.userId, `id=c${index}`);
  }
  const database = new DatabaseSync(join(world.home, '.baton/gateway/data/gateway.db'), {
    readOnly: true,
  });
  onTestFinished(() => database.close());
  const stored = database.prepare('SELECT count(*) AS count FROM gateway_events');
  await expect.poll(() => stored.get()).toEqual({ count: channels.length + NOISE });
  const log = () => (existsSync(runs) ? readFileSync(runs, 'utf8').trimEnd().split('\n') : []);
  await expect.poll(() => log().length).toBe(CONCURRENCY);
  writeFileSync(gate, '');

  await vi.waitFor(
    () => {
      const open = channels.filter(
        (channel, index) => !textsIn(discord, channel).includes(`answer to id=c${index}`),
      );
      expect(open).toEqual([]);
      expect(textsIn(discord)).toEqual(noise.map((id) => `answer to ${id}`));
    },
    { timeout: 80_000 },
  );
  for (const channel of channels) expect(discord.botMessages(channel)).toHaveLength(1);
  const starts = log().filter((line) => line.startsWith('start '));
  expect(new Set(starts).size).toBe(channels.length + NOISE);
  expect(starts).toHaveLength(channels.length + NOISE);
  // The channel with many messages takes its turn after every other one. Programs that run at once print in any order.
  const second = starts.indexOf('start id=noise-1');
  const later = starts.slice(second + 1).filter((line) => !line.includes('noise'));
  expect(later.length).toBeLessThan(CONCURRENCY);
  let active = 0;
  const peaks = log().map((line) => {
    active += line.startsWith('start ') ? 1 : -1;
    return active;
  });
  expect(Math.max(...peaks)).toBe(CONCURRENCY);
  expect(world.memory(gateway.pid) / before).toBeLessThan(3);
  expect(await gateway.end()).toBe(0);
  world.expectNothingLeft();
});

test('messages that arrive in an outage of Discord are answered after it, once', async () => {
  const { discord, gateway, say } = await local();
  say(script({ say: 'Before.' }));
  await botMessage(discord, 'Before.');
  discord.setDown(true);
  const ids = [1, 2, 3].map((number) => say(script({ say: `Answer ${number}.` })));
  discord.setDown(false);
  for (const number of [1, 2, 3]) await botMessage(discord, `Answer ${number}.`);
  const replies = discord.botMessages(discord.channelId).slice(1);
  expect(replies.map(({ replyTo }) => replyTo)).toEqual(ids);
  expect(await gateway.end()).toBe(0);
});
