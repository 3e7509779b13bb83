import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { signWebhook, TOLERANCE_MS } from '@baton/gateway';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { FakeDiscord } from '../../../../gateway/src/testing/fake-discord/fake-discord.ts';
import { freePort } from '../../../../store/src/testing/free-port.ts';
import { CliWorld } from '../../testing/baton.ts';
import {
  botMessage,
  discordEnv,
  fastDiscord,
  labelsOf,
  launchGateway,
  mockClaude,
  program,
  retry,
  script,
  startGateway,
  textsIn,
} from '../../testing/gateway.ts';

const ASK = ['--permission-mode', 'ask'];
const SECRET = 'a-secret-of-more-than-thirty-two-characters';
const PRESS_SECRET = 'another-secret-of-more-than-thirty-two-characters';
const WRITE = { write: { path: 'made.md', content: 'Made.\n' } };

/** A world, and the stand-in of Discord that its gateway connects to. */
async function chat(): Promise<{ world: CliWorld; discord: FakeDiscord }> {
  const discord = await fastDiscord();
  onTestFinished(() => discord.close());
  return { world: new CliWorld(), discord };
}

function configOf(world: CliWorld): Record<string, unknown> {
  return JSON.parse(readFileSync(join(world.home, '.baton/config.json'), 'utf8'));
}

describe('in a pipe', () => {
  test('prints the answer once, and ends with the input', async () => {
    const world = new CliWorld();
    const args = ['gateway', '--terminal', ...ASK];
    const input = `${script({ think: 'Hm.' }, { say: 'Hello there.' })}\n/status\n`;
    const { code, stdout, stderr } = await world.call({ args, input });
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout.match(/Hello there\./g)).toHaveLength(1);
    expect(stdout).toContain('Agent: demo');
    expect(stdout).not.toContain('Hm.');
  });

  test('denies what is asked after the end of the input', async () => {
    const world = new CliWorld();
    const args = ['gateway', '--terminal', ...ASK];
    const input = `${script(WRITE, { say: 'The end.' })}\n`;
    const { code, stdout } = await world.call({ args, input });
    expect(code).toBe(0);
    expect(stdout).toContain('The end.');
    expect(existsSync(join(world.cwd, 'made.md'))).toBe(false);
  });

  test('works in a worktree that is kept until /new', async () => {
    const world = new CliWorld();
    const { cwd, home } = world;
    rmSync(join(cwd, '.git'), { recursive: true });
    const git = (...args: string[]) => execFileSync('git', args, { cwd, env: { ...world.env } });
    git('init', '--quiet', '-b', 'main');
    const user = ['-c', 'user.name=U', '-c', 'user.email=u@localhost'];
    git(...user, 'commit', '--quiet', '--allow-empty', '-m', 'first');
    const args = ['gateway', '--terminal', '--permission-mode', 'auto'];
    const env = { BATON_GATEWAY_WORKTREES: 'terminal:local' };
    const say = (input: string) => world.call({ args, input, env });
    const folders = () => readdirSync(join(home, 'baton-workspaces/project')).sort();
    expect(await say(`${script(WRITE, { say: 'One.' })}\n`)).toMatchObject({ code: 0, stderr: '' });
    const [first = ''] = folders();
    const worktree = join(home, 'baton-workspaces/project', first);
    expect(existsSync(join(worktree, 'made.md'))).toBe(true);
    const { stdout } = await say(`${script({ say: 'Two.' })}\n/status\n`);
    expect(stdout).toContain(`Folder: ${worktree}`);
    expect(stdout).toContain(`Branch: baton/${first}`);
    expect(folders()).toEqual([first]);
    await say(`/new\n${script({ say: 'Three.' })}\n`);
    expect(folders()).toHaveLength(2);
    expect(existsSync(join(cwd, 'made.md'))).toBe(false);
  });

  test('loads no file of the daemon', async () => {
    const world = new CliWorld();
    const folder = join(world.home, 'loaded');
    const args = ['gateway', '--terminal', ...ASK];
    const input = `${script({ say: 'Hello.' })}\n`;
    await world.call({ args, input, env: { NODE_V8_COVERAGE: folder } });
    const loaded = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'));
    expect(loaded.join()).toMatch(/packages\/gateway\/src\//);
    expect(loaded.join()).not.toMatch(/packages\/daemon\/src\//);
  });

  test('with -v logs the backend with its path on standard error only', async () => {
    const args = ['gateway', '--terminal', '-v', ...ASK];
    const { code, stdout, stderr } = await new CliWorld().call({ args });
    expect([code, stdout]).toEqual([0, '']);
    expect(stderr).toMatch(/Z info: Backend: demo \(\/.+\)\n/);
  });
});

describe('at a terminal', () => {
  test('asks before a tool, takes commands, and Ctrl-C stops the agent', async () => {
    const world = new CliWorld();
    const terminal = world.terminal({ args: ['gateway', '--terminal', ...ASK] });
    await terminal.until('Type a message and press Enter.');
    terminal.type(`${script(WRITE, { say: 'Done writing.' })}\r`);
    await terminal.until('Allow');
    await terminal.until('[/1] Allow once');
    expect(existsSync(join(world.cwd, 'made.md'))).toBe(false);
    terminal.type('/1\r');
    await terminal.until('Done writing.');
    expect(readFileSync(join(world.cwd, 'made.md'), 'utf8')).toBe('Made.\n');
    terminal.type('/status\r');
    await terminal.until('Idle');
    await terminal.until(`Folder: ${world.cwd}`);
    terminal.type('/help\r');
    await terminal.until('/stop: Stop the agent');
    terminal.type('demo:stall\r');
    await terminal.until('I am going to be silent now.');
    terminal.type('\u0003');
    const { code, output } = await terminal.end();
    expect(code).toBe(0);
    expect(output).toContain('The gateway was stopped while the agent was working.');
  });

  test('prints a warning in a line of its own', async () => {
    const world = new CliWorld();
    const ready = join(world.home, 'ready');
    const failing = `while [ ! -e '${ready}' ]; do sleep 0.01; done; exit 3`;
    const terminal = world.terminal({
      args: ['gateway', '--terminal', ...ASK],
      env: { BATON_GATEWAY_HOOKS: `beforeRun=${failing}` },
    });
    await terminal.until('Type a message and press Enter.');
    terminal.type(`${script({ say: 'Answered.' })}\r`);
    writeFileSync(ready, '');
    await terminal.until('warning: Hook beforeRun failed: exit code 3');
    await terminal.until('Answered.');
    // Ctrl-D ends the input.
    terminal.type('\u0004');
    expect((await terminal.end()).code).toBe(0);
  });
});

describe.concurrent('refuses to start, with exit code 1', () => {
  const USERS = { BATON_GATEWAY_USERS: 'discord:1' };

  test.each<[string, Record<string, string>, string[], string]>([
    [
      'an unknown backend',
      { ...USERS, BATON_BACKEND: '', AGENT_BACKEND: 'gpt' },
      [],
      'Unknown backend "gpt". Valid options: claude, codex, gemini, opencode',
    ],
    [
      'allow-all without users',
      { BATON_BACKEND: 'claude' },
      [],
      'Permission mode "allow-all" requires a list of allowed users.',
    ],
    ['no platform', USERS, ASK, 'The gateway has nothing to connect to.'],
    [
      'a webhook without a secret',
      { ...USERS, BATON_GATEWAY_WEBHOOK_PORT: '8765' },
      ASK,
      'The webhook has a port but no secret.',
    ],
    [
      'a webhook with a short secret',
      {
        ...USERS,
        BATON_GATEWAY_WEBHOOK_PORT: '8765',
        BATON_GATEWAY_WEBHOOK_SECRET: 'pocket-secret',
      },
      ASK,
      'The webhook secret must have at least 32 characters.',
    ],
    [
      'a user without a platform',
      { BATON_GATEWAY_USERS: '1234' },
      ASK,
      '"1234" does not name its platform.',
    ],
    ['a missing workspace', USERS, [...ASK, '--cwd', 'nowhere'], 'is not a folder.'],
    [
      'a daemon that cannot be reached',
      USERS,
      [...ASK, '--daemon', 'http://127.0.0.1:1'],
      'Cannot reach a daemon at http://127.0.0.1:1.',
    ],
  ])('%s', async (_name, env, args, words) => {
    const { code, stdout, stderr } = await new CliWorld().call({ args: ['gateway', ...args], env });
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/error \([a-z_]+\): .+\nhint: .+\n$/);
    expect(stderr).toContain(words);
    expect(stderr).not.toContain('pocket-secret');
  });

  test('an agent that is not installed, with its name and path', async () => {
    const world = new CliWorld();
    const path = join(world.home, 'no/claude');
    const env = {
      ...USERS,
      BATON_BACKEND: 'claude',
      BACKEND_CLI_PATH: path,
      BATON_DISCORD_TOKEN: 'token',
    };
    const { code, stderr } = await world.call({ args: ['gateway'], env });
    expect(code).toBe(1);
    expect(stderr).toContain(
      `Backend "claude" cannot be started: ${path} was not found or is not executable.`,
    );
    expect(stderr).toContain('The agent runs every tool without asking');
  });

  test('a configuration folder inside the workspace', async () => {
    const world = new CliWorld();
    const args = ['gateway', '--terminal', ...ASK, '--cwd', world.home];
    const { code, stderr } = await world.call({ args });
    expect(code).toBe(1);
    expect(stderr).toContain(
      `The configuration folder ${join(world.home, '.baton/gateway')} is inside the workspace ${world.home}.`,
    );
  });

  test('an unknown action, as a mistake of the caller', async () => {
    const { code, stderr } = await new CliWorld().call({ args: ['gateway', 'start'] });
    expect(code).toBe(2);
    expect(stderr).toContain('Unknown action "start".');
  });
});

describe('at startup', () => {
  test('replaces an invalid number of turns, and warns about allow-all', async () => {
    const { world, discord } = await chat();
    const claude = mockClaude(world, 'answer(process.argv.slice(2).join(" "));');
    const gateway = await startGateway(world, {
      env: {
        ...discordEnv(discord),
        BATON_PERMISSION_MODE: '',
        BATON_BACKEND: '',
        AGENT_BACKEND: 'claude',
        BACKEND_CLI_PATH: claude,
        BACKEND_MAX_TURNS: 'many',
      },
    });
    expect(gateway.log()).toContain('BACKEND_MAX_TURNS): "many" is not a whole number');
    expect(gateway.log()).toContain('Using 25.');
    expect(gateway.log()).toContain('The agent runs every tool without asking');
    expect(gateway.log()).toContain(`Backend: claude (${claude})`);
    discord.say(discord.channelId, discord.userId, 'hi');
    await botMessage(discord, '--max-turns 25');
    expect(await gateway.end()).toBe(0);
    world.expectNothingLeft();
  });

  test('refuses a data folder that another gateway uses', async () => {
    const { world, discord } = await chat();
    const env = discordEnv(discord);
    const gateway = await startGateway(world, { env });
    const second = launchGateway(world, { env });
    expect(await second.exited).toBe(1);
    const folder = join(world.home, '.baton/gateway/data');
    expect(second.log()).toContain(`Another gateway (process ${gateway.pid}) is using ${folder}.`);
    expect(await gateway.end()).toBe(0);
  });

  test('reports an invalid token without showing it, with exit code 1', async () => {
    const { world, discord } = await chat();
    const token = 'MTIzNDU2Nzg5MDEyMzQ1Njc4.invalid.token-that-nobody-may-see';
    const env = {
      ...discordEnv(discord),
      BATON_DISCORD_TOKEN: `Bot ${token}`,
      BATON_GATEWAY_WEBHOOK_PORT: `${await freePort()}`,
      BATON_GATEWAY_WEBHOOK_SECRET: SECRET,
    };
    const { code, stdout, stderr } = await world.call({ args: ['gateway'], env });
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/error \(.+\): .*Discord.*\nhint: /);
    expect(stderr).not.toContain(token);
    expect(stderr).not.toContain(SECRET);
  });

  test('can be stopped while Discord cannot be reached', async () => {
    const { world, discord } = await chat();
    discord.setDown(true);
    const gateway = launchGateway(world, { env: discordEnv(discord) });
    await gateway.logged('Backend: demo');
    expect(await gateway.end()).toBe(0);
    world.expectNothingLeft();
  });
});

describe('secrets', () => {
  const names = [
    'BATON_DISCORD_TOKEN',
    'DISCORD_TOKEN',
    'BATON_GATEWAY_WEBHOOK_SECRET',
    'BATON_TOKEN',
  ];

  async function secretsFor(discord: FakeDiscord): Promise<Record<string, string>> {
    return {
      ...discordEnv(discord),
      DISCORD_TOKEN: discord.token,
      BATON_GATEWAY_WEBHOOK_PORT: `${await freePort()}`,
      BATON_GATEWAY_WEBHOOK_SECRET: SECRET,
      BATON_TOKEN: 'a-login-for-a-daemon',
    };
  }

  /** Secrets as variables, as variables that name files, or as credentials of systemd. */
  function given(world: CliWorld, env: Record<string, string>, way: string) {
    if (way === 'variables') return env;
    const folder = join(world.home, 'credentials');
    mkdirSync(folder);
    const entries = Object.entries(env).flatMap(([name, value]) => {
      if (!/TOKEN|SECRET/.test(name)) return [[name, value]];
      writeFileSync(join(folder, name), `${value}\n`);
      return way === 'files' ? [[`${name}_FILE`, join(folder, name)]] : [];
    });
    const place = way === 'systemd' ? { CREDENTIALS_DIRECTORY: folder } : {};
    return { ...Object.fromEntries(entries), ...place } as Record<string, string>;
  }

  function expectNone(environment: string, discord: FakeDiscord): void {
    expect(environment).toContain('HOME=');
    for (const name of names) expect(environment).not.toMatch(new RegExp(`^${name}=`, 'm'));
    for (const secret of [discord.token, SECRET, 'a-login-for-a-daemon']) {
      expect(environment).not.toContain(secret);
    }
  }

  test('do not reach agents and hooks', async () => {
    const { world, discord } = await chat();
    const hooked = join(world.home, 'hooked');
    const gateway = await startGateway(world, {
      env: {
        ...(await secretsFor(discord)),
        BATON_GATEWAY_HOOKS: `startup=env > '${hooked}'`,
      },
    });
    expectNone(readFileSync(hooked, 'utf8'), discord);
    discord.say(discord.channelId, discord.userId, script({ shell: 'env > seen' }, { say: 'Ok.' }));
    const request = await botMessage(discord, 'Allow');
    await discord.press(request.id, 'Allow once', discord.userId);
    await botMessage(discord, 'Ok.');
    expectNone(readFileSync(join(world.cwd, 'seen'), 'utf8'), discord);
    expect(gateway.log()).not.toContain(discord.token);
    expect(await gateway.end()).toBe(0);
  });

  test.each(['variables', 'files', 'systemd'])(
    'cannot be read from the process of the gateway, given as %s',
    async (way) => {
      const { world, discord } = await chat();
      const secrets = { ...(await secretsFor(discord)), BATON_GATEWAY_PRESS_SECRET: PRESS_SECRET };
      const gateway = await startGateway(world, { env: given(world, secrets, way) });
      const seen = join(world.cwd, 'seen');
      const prompt = script({ shell: `cat /proc/${gateway.pid}/environ > seen; env >> seen` });
      discord.say(discord.channelId, discord.userId, prompt);
      const request = await botMessage(discord, 'Allow');
      await discord.press(request.id, 'Allow once', discord.userId);
      await expect.poll(() => existsSync(seen) && readFileSync(seen, 'utf8')).toContain('HOME=');
      expect(await gateway.end()).toBe(0);
      const environment = readFileSync(seen, 'utf8');
      expectNone(environment, discord);
      expect(environment).not.toContain(PRESS_SECRET);
      expect(readdirSync(world.home).filter((name) => name.includes('secrets'))).toEqual([]);
    },
  );

  test('do not reach the program of an agent with allow-all', async () => {
    const { world, discord } = await chat();
    const claude = mockClaude(
      world,
      `const all = Object.entries(process.env).map(([name, value]) => name + '=' + value);
       fs.writeFileSync('seen', [...process.argv, prompt, ...all].join('\\n'));
       answer('Ok.');`,
    );
    const gateway = await startGateway(world, {
      env: {
        ...(await secretsFor(discord)),
        BATON_PERMISSION_MODE: 'allow-all',
        BATON_BACKEND: 'claude',
        BACKEND_CLI_PATH: claude,
      },
    });
    discord.say(discord.channelId, discord.userId, 'Hello');
    await botMessage(discord, 'Ok.');
    expectNone(readFileSync(join(world.cwd, 'seen'), 'utf8'), discord);
    expect(await gateway.end()).toBe(0);
  });
});

test('a gateway that is stopped during a run says so, and offers a retry', async () => {
  const { world, discord } = await chat();
  const gateway = await startGateway(world, { env: discordEnv(discord) });
  const id = discord.say(discord.channelId, discord.userId, 'demo:stall');
  await botMessage(discord, 'I am going to be silent now.');
  expect(await gateway.end()).toBe(0);
  world.expectNothingLeft();
  const [draft, reply, ...others] = discord.botMessages(discord.channelId);
  expect(others).toEqual([]);
  expect(draft?.content).toBe('I am going to be silent now.');
  expect(reply?.content).toContain('The gateway was stopped while the agent was working.');
  expect(reply?.replyTo).toBe(id);
  expect(reply && labelsOf(reply)).toEqual(['Retry']);
});

test('a gateway that is told twice to stop leaves its last reply to the next start', async () => {
  const { world, discord } = await chat();
  const env = discordEnv(discord);
  const first = await startGateway(world, { env });
  discord.say(discord.channelId, discord.userId, 'demo:stall');
  await botMessage(discord, 'I am going to be silent now.');
  discord.setDown(true);
  const ended = first.end();
  await first.logged('Stopping.');
  const again = first.end();
  expect(await Promise.all([ended, again])).toEqual([0, 0]);
  world.expectNothingLeft();
  discord.setDown(false);
  const second = await startGateway(world, { env });
  const reply = await botMessage(discord, 'The gateway was stopped while the agent was working.');
  // The draft stays above it.
  expect(discord.botMessages(discord.channelId)).toHaveLength(2);
  expect(labelsOf(reply)).toEqual(['Retry']);
  await retry(discord, reply);
  await expect.poll(() => discord.botMessages(discord.channelId)).toHaveLength(3);
  expect(await second.end()).toBe(0);
});

test.each(['server', 'channel'])(
  'a gateway reads the threads that were created while it was down, of a %s',
  async (allowed) => {
    const { world, discord } = await chat();
    const { BATON_GATEWAY_GUILDS: guild = '', ...others } = discordEnv(discord);
    const place: Record<string, string> =
      allowed === 'server'
        ? { BATON_GATEWAY_GUILDS: guild }
        : { BATON_GATEWAY_CHANNELS: `discord:${discord.channelId}` };
    const env = { ...others, ...place };
    const say = (channelId: string, text: string) =>
      discord.say(channelId, discord.userId, script({ say: text }));
    const elsewhere = discord.addChannel();
    const old = discord.addChannel({ parentId: discord.channelId });
    say(old, 'Before the first start.');
    const first = await startGateway(world, { env });
    const known = say(discord.channelId, 'While it runs.');
    await botMessage(discord, 'While it runs.');
    expect(await first.end()).toBe(0);

    const thread = discord.addChannel({ parentId: discord.channelId });
    // One that starts from an older message has its id.
    const fromMessage = discord.addChannel({ id: known, parentId: discord.channelId });
    const foreign = discord.addChannel({ parentId: elsewhere });
    say(thread, 'One.');
    say(thread, 'Two.');
    say(fromMessage, 'Three.');
    say(foreign, 'Four.');
    const second = await startGateway(world, { env });
    await botMessage(discord, 'Two.', thread);
    await botMessage(discord, 'Three.', fromMessage);
    if (allowed === 'server') await botMessage(discord, 'Four.', foreign);
    expect(textsIn(discord, thread)).toEqual(['One.', 'Two.']);
    expect(await second.end()).toBe(0);
    expect(textsIn(discord, old)).toEqual([]);
    if (allowed === 'channel') expect(textsIn(discord, foreign)).toEqual([]);
    const third = await startGateway(world, { env });
    expect(await third.end()).toBe(0);
    expect(textsIn(discord, thread)).toEqual(['One.', 'Two.']);
  },
);

test('a gateway does not answer old messages of a server that is allowed only now', async () => {
  const { world, discord } = await chat();
  const env = discordEnv(discord);
  const none = { ...env, BATON_GATEWAY_GUILDS: '', BATON_GATEWAY_CHANNELS: 'discord:1' };
  const first = await startGateway(world, { env: none });
  expect(await first.end()).toBe(0);
  const channel = discord.addChannel();
  discord.say(channel, discord.userId, script({ say: 'Old.' }));
  const second = await startGateway(world, { env });
  discord.say(channel, discord.userId, script({ say: 'New.' }));
  await botMessage(discord, 'New.', channel);
  expect(await second.end()).toBe(0);
  expect(textsIn(discord, channel)).toEqual(['New.']);
});

test('a gateway whose token is revoked ends with exit code 1', async () => {
  const { world, discord } = await chat();
  const gateway = await startGateway(world, { env: discordEnv(discord) });
  const { token } = discord;
  discord.replaceToken('another-token');
  discord.dropConnections({ resumable: false });
  expect(await gateway.exited).toBe(1);
  expect(gateway.log()).toMatch(/error \(.+\): .*Discord/);
  expect(gateway.log()).not.toContain(token);
  world.expectNothingLeft();
});

describe('check', () => {
  test('passes without sending or starting anything', async () => {
    const { world, discord } = await chat();
    const started = join(world.home, 'started');
    const claude = program(world, 'claude', `require('node:fs').writeFileSync('${started}', '');`);
    const env = {
      ...discordEnv(discord),
      BATON_BACKEND: 'claude',
      BACKEND_CLI_PATH: claude,
      BATON_GATEWAY_CHANNELS: `discord:${discord.channelId}`,
      BATON_GATEWAY_WEBHOOK_PORT: '8765',
      BATON_GATEWAY_WEBHOOK_SECRET: SECRET,
    };
    const { code, stdout, stderr } = await world.call({ args: ['gateway', 'check'], env });
    expect([code, stderr]).toEqual([0, '']);
    expect(
      stdout
        .trimEnd()
        .split('\n')
        .every((line) => line.startsWith('✓ ')),
    ).toBe(true);
    expect(stdout).toContain(
      `Permission mode ask in ${world.cwd}; allowed: 1 user, 1 server, 1 channel.`,
    );
    expect(stdout).toContain(`✓ Agent: claude (${claude})`);
    expect(existsSync(started)).toBe(false);
    expect(stdout).toContain('✓ Discord token: The bot is baton.');
    expect(stdout).toContain('✓ Webhook: Port 8765.');
    expect(discord.requests.every(({ method }) => method === 'GET')).toBe(true);
    expect(textsIn(discord)).toEqual([]);
  });

  test('--json reports each problem, with exit code 1 and no token', async () => {
    const { world, discord } = await chat();
    const env = {
      ...discordEnv(discord),
      BATON_BACKEND: 'claude',
      BATON_DISCORD_TOKEN: 'an-invalid-token',
      BATON_GATEWAY_GUILDS: '',
      BATON_GATEWAY_WEBHOOK_PORT: '8765',
      BATON_GATEWAY_WEBHOOK_SECRET: 'pocket-secret',
    };
    const { code, stdout, stderr } = await world.call({
      args: ['gateway', 'check', '--json'],
      env,
    });
    expect([code, stderr]).toEqual([1, '']);
    expect(stdout).not.toContain('an-invalid-token');
    expect(stdout).not.toContain('pocket-secret');
    expect(JSON.parse(stdout)).toMatchObject({
      ok: false,
      checks: [
        { name: 'Configuration', ok: false, detail: expect.stringContaining('Nobody would get') },
        {
          name: 'Agent',
          ok: false,
          hint: expect.stringContaining('baton backends install claude'),
        },
        { name: 'Discord token', ok: false },
        { name: 'Webhook', ok: false, detail: expect.stringContaining('at least 32 characters') },
      ],
    });
  });

  test.each<[string, Record<string, string>, string[], string]>([
    ['nothing to connect to', {}, ASK, '✗ Platforms: The gateway has nothing to connect to.'],
    ['an invalid configuration', { BATON_BACKEND: 'claude' }, [], '✗ Configuration: '],
    ['a workspace that is missing', {}, [...ASK, '--cwd', 'nowhere'], 'is not a folder.'],
    ['a workspace with the instructions', {}, [...ASK, '--cwd', '..'], 'is inside the workspace'],
    [
      'that no server is allowed',
      { BATON_GATEWAY_USERS: 'discord:1' },
      ASK,
      '\n  Set BATON_GATEWAY_GUILDS, BATON_GATEWAY_CHANNELS or BATON_GATEWAY_DIRECT_MESSAGES.\n',
    ],
    [
      'that no user is allowed, with a warning',
      { BATON_GATEWAY_GUILDS: 'discord:1' },
      ASK,
      '\n  Set BATON_GATEWAY_USERS.\n! Warning: No users are allowed',
    ],
  ])('finds %s', async (_name, env, args, words) => {
    const { code, stdout } = await new CliWorld().call({
      args: ['gateway', 'check', ...args],
      env,
    });
    expect(code).toBe(1);
    expect(stdout).toContain(words);
  });
});

describe('init', () => {
  const INIT = ['gateway', 'init', '--user', '1', '--server', '2'];

  test('takes flags without a terminal, and keeps what the file has', async () => {
    const { world, discord } = await chat();
    const path = join(world.home, '.baton/config.json');
    const kept = { model: 'opus', permissionMode: 'auto', gatewayWorkingDir: world.home };
    writeFileSync(path, JSON.stringify(kept));
    const args = ['gateway', 'init', '--backend', 'demo', '--user', '12, discord:13'];
    const env = {
      BATON_DISCORD_API_URL: discord.apiUrl,
      BATON_DISCORD_TOKEN: discord.token,
      BATON_GATEWAY_WEBHOOK_SECRET: SECRET,
    };
    const { code, stdout, stderr } = await world.call({
      args: [...args, '--server', '34', '--channel', 'webhook:ci'],
      env,
    });
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).not.toContain(discord.token);
    expect(stdout).not.toContain('No Discord token');
    expect(stdout).toMatch(/only to programs that may approve requests:\n[0-9a-f]{64}\n/);
    expect(stdout).toContain('Add the bot to a server: https://discord.com/oauth2/authorize?');
    expect(configOf(world)).toEqual({
      model: 'opus',
      permissionMode: 'auto',
      backend: 'demo',
      gatewayWorkingDir: world.cwd,
      gatewayUsers: ['discord:12', 'discord:13'],
      gatewayGuilds: ['discord:34'],
      gatewayChannels: ['webhook:ci'],
    });
    const credentials = join(world.home, '.baton/credentials.json');
    expect(JSON.parse(readFileSync(credentials, 'utf8'))).toEqual({
      discord: { token: discord.token },
      webhook: { token: SECRET },
      'webhook-presses': { token: expect.stringMatching(/^[0-9a-f]{64}$/) },
    });
    expect(statSync(credentials).mode & 0o777).toBe(0o600);
  });

  test('points out that the file allows every tool', async () => {
    const world = new CliWorld();
    const path = join(world.home, '.baton/config.json');
    writeFileSync(path, JSON.stringify({ permissionMode: 'allow-all' }));
    const { code, stdout } = await world.call({ args: INIT });
    expect(code).toBe(0);
    expect(stdout).toContain('runs every tool without asking');
    expect(configOf(world)).toMatchObject({ permissionMode: 'allow-all' });
  });

  test('says that the token is missing', async () => {
    const { code, stdout } = await new CliWorld().call({ args: INIT });
    expect(code).toBe(0);
    expect(stdout).toContain(
      'No Discord token: set BATON_DISCORD_TOKEN, or run init in a terminal.\n',
    );
  });

  test('keeps the stored token if Discord rejects the new one, and writes nothing', async () => {
    const { world, discord } = await chat();
    const credentials = join(world.home, '.baton/credentials.json');
    const stored = JSON.stringify({ discord: { token: discord.token } });
    writeFileSync(credentials, stored);
    const env = {
      BATON_DISCORD_API_URL: discord.apiUrl,
      BATON_DISCORD_TOKEN: 'an-invalid-token',
    };
    const { code, stdout, stderr } = await world.call({ args: INIT, env });
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain('Discord rejected the token. Nothing was written.');
    expect(stderr).not.toContain('an-invalid-token');
    expect(readFileSync(credentials, 'utf8')).toBe(stored);
    expect(existsSync(join(world.home, '.baton/config.json'))).toBe(false);
  });

  test('checks the stored token, and prints the address that adds the bot', async () => {
    const { world, discord } = await chat();
    const stored = JSON.stringify({ discord: { token: discord.token } });
    writeFileSync(join(world.home, '.baton/credentials.json'), stored);
    const env = { BATON_DISCORD_API_URL: discord.apiUrl };
    const { code, stdout } = await world.call({ args: INIT, env });
    expect(code).toBe(0);
    expect(stdout).toContain(`client_id=${discord.botId}`);
    expect(stdout).not.toContain('No Discord token');
  });

  test('warns if Discord cannot be reached, and stores the token', async () => {
    const world = new CliWorld();
    const env = { BATON_DISCORD_API_URL: 'http://127.0.0.1:1', BATON_DISCORD_TOKEN: 'unchecked' };
    const { code, stderr } = await world.call({ args: INIT, env });
    expect(code).toBe(0);
    expect(stderr).toMatch(/^warning: .*could not be reached.* The token was not checked\.\n$/);
    const credentials = readFileSync(join(world.home, '.baton/credentials.json'), 'utf8');
    expect(JSON.parse(credentials)).toEqual({ discord: { token: 'unchecked' } });
  });

  test('chooses the flag, then the configured agent, then an installed one, then the demo', async () => {
    const world = new CliWorld();
    const backendAfter = async (args: string[], env: Record<string, string> = {}) => {
      expect((await world.call({ args: [...INIT, ...args], env })).code).toBe(0);
      return configOf(world).backend;
    };
    program(world, 'codex', "console.log('codex-cli 0.142.0');");
    const withCodex = { PATH: `${world.home}:/usr/bin:/bin` };
    expect(await backendAfter([])).toBe('demo');
    writeFileSync(join(world.home, '.baton/config.json'), '{}');
    expect(await backendAfter([], withCodex)).toBe('codex');
    expect(await backendAfter(['--backend', 'gemini'], withCodex)).toBe('gemini');
    expect(await backendAfter([], withCodex)).toBe('gemini');
  });

  test('needs no server or channel if direct messages are answered', async () => {
    const env = { BATON_GATEWAY_DIRECT_MESSAGES: 'true' };
    const args = ['gateway', 'init', '--user', '1'];
    expect((await new CliWorld().call({ args, env })).code).toBe(0);
  });

  test.each<[string, string[], string]>([
    ['no user', [], 'at least one allowed user'],
    ['an id without a platform', ['--user', 'me'], '"me" does not name its platform.'],
    ['a name of Discord', ['--user', 'discord:abc'], '"discord:abc" is not a Discord id'],
    ['a mention', ['--user', 'discord:<@12>'], '"discord:<@12>" is not a Discord id'],
    ['no server and no channel', ['--user', '1'], 'at least one allowed server or channel'],
    ['an unknown agent', ['--user', '1', '--backend', 'gpt'], 'Unknown backend "gpt"'],
    ['a missing workspace', ['--user', '1', '--cwd', 'nowhere'], 'is not a folder.'],
    ['a workspace with the instructions', ['--user', '1', '--cwd', '..'], 'inside the workspace'],
  ])('writes nothing with %s', async (_name, args, words) => {
    const world = new CliWorld();
    const { code, stderr } = await world.call({ args: ['gateway', 'init', ...args] });
    expect(code).toBe(2);
    expect(stderr).toContain(words);
    expect(existsSync(join(world.home, '.baton/config.json'))).toBe(false);
  });

  test('asks a person, checks the token and does not show it; then the gateway starts', async () => {
    const { world, discord } = await chat();
    mkdirSync(join(world.home, 'work'));
    const env = { BATON_DISCORD_API_URL: discord.apiUrl };
    const terminal = world.terminal({ args: ['gateway', 'init'], env });
    await terminal.until('Agent [demo]: ');
    terminal.type('gpt\r');
    await terminal.until('Unknown backend "gpt"');
    await terminal.until('Agent [demo]: ');
    terminal.type('\r');
    await terminal.until(`Folder in which it works [${world.cwd}]: `);
    terminal.type('nowhere\r');
    await terminal.until('is not a folder.');
    await terminal.until(`Folder in which it works [${world.cwd}]: `);
    terminal.type('../work\r');
    await terminal.until('Discord bot token (Enter for none): ');
    terminal.type('a-mistyped-token\r');
    await terminal.until('✗');
    await terminal.until('Discord bot token (Enter for none): ');
    terminal.type(`${discord.token}\r`);
    await terminal.until('✓ The bot is baton.');
    await terminal.until('Add the bot to a server: https://discord.com/oauth2/authorize?');
    await terminal.until('Allowed users, comma-separated [none]: ');
    terminal.type('\r');
    await terminal.until('at least one allowed user');
    await terminal.until('Allowed users, comma-separated [none]: ');
    terminal.type(`${discord.userId}, discord:7\r`);
    await terminal.until('Allowed servers, comma-separated [none]: ');
    terminal.type(`${discord.guildId}\r`);
    await terminal.until('Allowed channels, comma-separated [none]: ');
    terminal.type('\r');
    await terminal.until('Wrote ');
    const { code, output } = await terminal.end();
    expect(code).toBe(0);
    expect(output).not.toContain(discord.token);
    expect(output).not.toContain('a-mistyped-token');
    const path = join(world.home, '.baton/config.json');
    expect(configOf(world)).toEqual({
      permissionMode: 'ask',
      backend: 'demo',
      gatewayWorkingDir: join(world.home, 'work'),
      gatewayUsers: [`discord:${discord.userId}`, 'discord:7'],
      gatewayGuilds: [`discord:${discord.guildId}`],
      gatewayChannels: [],
    });
    expect(readFileSync(path, 'utf8')).not.toContain(discord.token);
    expect(discord.requests.every(({ method }) => method === 'GET')).toBe(true);

    const gateway = await startGateway(world, { env });
    discord.say(discord.channelId, discord.userId, script({ say: 'It works.' }));
    await botMessage(discord, 'It works.');
    expect(await gateway.end()).toBe(0);
  });

  test('offers the current folder, takes an unchecked token, and asks for a place', async () => {
    const world = new CliWorld();
    const kept = { backend: 'demo', gatewayWorkingDir: join(world.home, 'old') };
    writeFileSync(join(world.home, '.baton/config.json'), JSON.stringify(kept));
    const env = { BATON_DISCORD_API_URL: 'http://127.0.0.1:1' };
    const terminal = world.terminal({ args: ['gateway', 'init', '--user', '1'], env });
    await terminal.until('Agent [demo]: ');
    terminal.type('\r');
    await terminal.until(`Folder in which it works [${world.cwd}]: `);
    terminal.type('\r');
    await terminal.until('Discord bot token (Enter for none): ');
    terminal.type('unchecked\r');
    await terminal.until('The token was not checked.');
    await terminal.until('Allowed users, comma-separated [discord:1]: ');
    terminal.type('\r');
    await terminal.until('Allowed servers, comma-separated [none]: ');
    terminal.type('\r');
    await terminal.until('Allowed channels, comma-separated [none]: ');
    terminal.type('\r');
    await terminal.until('at least one allowed server or channel, such as discord:1234.');
    await terminal.until('Allowed channels, comma-separated [none]: ');
    terminal.type('2\r');
    await terminal.until('Wrote ');
    expect((await terminal.end()).code).toBe(0);
    expect(configOf(world)).toMatchObject({
      gatewayWorkingDir: world.cwd,
      gatewayChannels: ['discord:2'],
    });
  });

  test('writes nothing after Ctrl-C', async () => {
    const { world, discord } = await chat();
    const env = { BATON_DISCORD_API_URL: discord.apiUrl };
    const terminal = world.terminal({ args: ['gateway', 'init', '--backend', 'demo'], env });
    await terminal.until('Agent [demo]: ');
    terminal.type('\r');
    await terminal.until('Folder in which it works');
    terminal.type('\r');
    await terminal.until('Discord bot token');
    terminal.type(`${discord.token}\r`);
    await terminal.until('Allowed users');
    terminal.type('\u0003');
    await terminal.until('Nothing was written.');
    expect((await terminal.end()).code).toBe(130);
    for (const name of ['config.json', 'credentials.json']) {
      expect(existsSync(join(world.home, '.baton', name))).toBe(false);
    }
  });
});

describe('the webhook', () => {
  type Answer = {
    state?: string;
    text?: string;
    error?: { message?: string };
    requests?: { message: string; text: string; buttons: { label: string; value: string }[] }[];
  };
  type Sent = { status: number; body: Answer };

  async function webhook() {
    const world = new CliWorld();
    const port = await freePort();
    const env = {
      BATON_GATEWAY_USERS: 'webhook:ci',
      BATON_GATEWAY_CHANNELS: 'webhook:builds',
      BATON_GATEWAY_WEBHOOK_PORT: `${port}`,
      BATON_GATEWAY_WEBHOOK_SECRET: SECRET,
      BATON_GATEWAY_PRESS_SECRET: PRESS_SECRET,
      BATON_RETRIES: '0',
    };
    const start = () => startGateway(world, { args: ASK, env });
    const post = async (path: string, body: string, headers: Record<string, string>) => {
      const url = `http://127.0.0.1:${port}${path}`;
      const response = await fetch(url, { method: 'POST', body, headers });
      return { status: response.status, body: (await response.json()) as Answer } satisfies Sent;
    };
    let last = Date.now();
    const headersFor = (body: string, secret = SECRET, at?: number) => {
      // Two requests of the same millisecond would have the same signature.
      last = Math.max(last + 1, Date.now());
      const timestamp = `${at ?? last}`;
      return {
        'x-baton-timestamp': timestamp,
        'x-baton-signature': signWebhook(secret, { timestamp, body }),
      };
    };
    const send = (path: string, message: object) => {
      const body = JSON.stringify(message);
      return post(path, body, headersFor(body, path === '/presses' ? PRESS_SECRET : SECRET));
    };
    const message = (text: string, more: object = {}) =>
      send('/messages', { channel: 'builds', user: 'ci', text, wait: 60, ...more });
    return { world, start, post, headersFor, send, message };
  }

  test('answers signed requests and refuses all others, also after a restart', async () => {
    const { world, start, post, headersFor, send, message } = await webhook();
    const first = await start();
    const body = JSON.stringify({ channel: 'builds', user: 'ci', text: script({ say: 'Hi.' }) });
    const forged = await post('/messages', body, headersFor(body, 'x'.repeat(40)));
    expect([forged.status, forged.body.error?.message]).toEqual([
      401,
      'The signature is missing or wrong.',
    ]);
    expect((await post('/messages', body, {})).status).toBe(401);
    expect((await post('/messages', `${body} `, headersFor(body))).status).toBe(401);
    const tooOld = Date.now() - TOLERANCE_MS - 60_000;
    const expired = await post('/messages', body, headersFor(body, SECRET, tooOld));
    expect([expired.status, expired.body.error?.message]).toEqual([
      401,
      expect.stringContaining('differs by more than five minutes'),
    ]);
    const stranger = { channel: 'builds', user: 'stranger', text: 'Hello' };
    expect((await send('/messages', stranger)).status).toBe(403);
    const elsewhere = { channel: 'other', user: 'ci', text: 'Hello' };
    expect((await send('/messages', elsewhere)).status).toBe(403);

    const headers = headersFor(body);
    expect((await post('/messages', body, headers)).status).toBe(202);
    const replayed = [401, 'The signature was used before.'];
    const again = await post('/messages', body, headers);
    expect([again.status, again.body.error?.message]).toEqual(replayed);
    expect(await message(script({ say: 'Ho.' }))).toMatchObject({
      status: 200,
      body: { state: 'answered', text: 'Ho.' },
    });
    expect(await first.end()).toBe(0);
    const second = await start();
    const later = await post('/messages', body, headers);
    expect([later.status, later.body.error?.message]).toEqual(replayed);
    expect(await second.end()).toBe(0);
    world.expectNothingLeft();
  });

  test('reports a failed run with a retry as failed, not as a request', async () => {
    const { start, send, message } = await webhook();
    const gateway = await start();
    for (const id of ['a', 'b', 'c']) {
      const failed = await message('demo:crash', { id });
      expect(failed).toMatchObject({ status: 200, body: { state: 'failed', canRetry: true } });
      const buttons = failed.body.requests?.flatMap((each) => each.buttons) ?? [];
      expect(buttons.map(({ label }) => label)).toEqual(['Retry']);
      const press = { channel: 'builds', user: 'ci', message: failed.body.requests?.[0]?.message };
      expect((await send('/presses', { ...press, value: buttons[0]?.value })).status).toBe(200);
    }
    expect(await gateway.end()).toBe(0);
  });

  test('runs a message once, and takes the answer to its permission request', async () => {
    const { world, start, send, message } = await webhook();
    const gateway = await start();
    const prompt = script({ shell: 'echo run >> ran' }, { say: 'Built.' });
    const asked = await message(prompt, { id: 'build-1' });
    expect([asked.status, asked.body.state]).toEqual([202, 'pending']);
    const [request] = asked.body.requests ?? [];
    expect(request?.text).toContain('echo run >> ran');
    const value = request?.buttons.find(({ label }) => label === 'Allow once')?.value;
    const press = { channel: 'builds', message: request?.message, value };
    await send('/presses', { ...press, user: 'stranger' });
    expect(existsSync(join(world.cwd, 'ran'))).toBe(false);
    const other = { ...press, user: 'ci', message: 'another-message' };
    await send('/presses', other);
    expect(existsSync(join(world.cwd, 'ran'))).toBe(false);
    expect((await send('/presses', { ...press, user: 'ci' })).status).toBe(200);
    const answered = await message(prompt, { id: 'build-1' });
    expect(answered).toMatchObject({ status: 200, body: { state: 'answered', text: 'Built.' } });
    expect(await message(prompt, { id: 'build-1' })).toEqual(answered);
    expect(readFileSync(join(world.cwd, 'ran'), 'utf8')).toBe('run\n');
    expect(await gateway.end()).toBe(0);
    world.expectNothingLeft();
  });
});
