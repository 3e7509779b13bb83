import type { ConfigFile } from '@baton/config/settings';
import { BatonError } from '@baton/protocol';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type AccessRules, isAllowed } from './access.ts';
import { type ConfigOptions, loadConfig } from './load-config.ts';

const USERS = { BATON_GATEWAY_USERS: 'discord:1' };
const PLACE = { cwd: '/work', home: '/home/me' };

function load(
  env: Record<string, string> = {},
  values?: ConfigFile['values'],
  options: ConfigOptions = {},
) {
  const file = values && { path: '/config.json', values, place: () => '/config.json:1:1' };
  return loadConfig(env, file, { place: PLACE, ...options });
}

function refusal(
  env: Record<string, string>,
  values?: ConfigFile['values'],
  options?: ConfigOptions,
): BatonError {
  try {
    load(env, values, options);
  } catch (error) {
    if (BatonError.is(error)) return error;
  }
  throw new Error('The configuration was accepted.');
}

describe('loadConfig', () => {
  test('has the defaults of the original gateway', () => {
    expect(load(USERS).config).toEqual({
      agentBackend: 'claude',
      backendCliPath: 'claude',
      backendModel: undefined,
      backendMaxTurns: 25,
      allowedTools: [],
      queryTimeoutMs: 300_000,
      retries: 3,
      workingDir: '/work',
      worktrees: [],
      configDir: '/home/me/.baton/gateway',
      permissionMode: 'allow-all',
      access: { users: ['discord:1'], guilds: [], channels: [], directMessages: false },
      requireMention: false,
      hooks: {},
      requestTimeoutMs: 3_600_000,
      concurrency: 4,
      discord: undefined,
      webhook: undefined,
    });
  });

  test('takes any agent where people are asked, or through a daemon', () => {
    const ask = { AGENT_BACKEND: 'demo', BATON_PERMISSION_MODE: 'ask' };
    expect(load(ask).config.agentBackend).toBe('demo');
    expect(load({ ...ask, AGENT_BACKEND: 'claude-cli' }).config.agentBackend).toBe('claude');
    const daemon = { ...USERS, AGENT_BACKEND: 'demo' };
    expect(load(daemon, {}, { usesDaemon: true }).config.agentBackend).toBe('demo');
    expect(refusal(daemon)).toMatchObject({
      code: 'config_invalid',
      message: 'Unknown backend "demo". Valid options: claude, codex, gemini, opencode',
    });
    expect(refusal({ ...ask, AGENT_BACKEND: 'nobody' })).toMatchObject({ code: 'config_invalid' });
  });

  test('lets the agents find the program that the gateway was told', () => {
    const { settings } = load({ ...USERS, AGENT_BACKEND: 'codex', BACKEND_CLI_PATH: '/opt/codex' });
    expect(settings.get('binaries')).toEqual({ codex: '/opt/codex' });
  });

  test('connects to Discord with a token and opens a webhook with a port and a secret', () => {
    const secret = 's'.repeat(32);
    const { config } = load({
      ...USERS,
      DISCORD_TOKEN: 'token',
      BATON_DISCORD_API_URL: 'http://127.0.0.1:1/api',
      BATON_GATEWAY_WEBHOOK_PORT: '8080',
      BATON_GATEWAY_WEBHOOK_SECRET: secret,
    });
    expect(config.discord).toEqual({ token: 'token', apiUrl: 'http://127.0.0.1:1/api' });
    expect(config.webhook).toEqual({ port: 8080, secret });
    expect(refusal({ ...USERS, BATON_GATEWAY_WEBHOOK_PORT: '8080' }).message).toBe(
      'The webhook has a port but no secret.',
    );
    expect(refusal({ ...USERS, BATON_GATEWAY_WEBHOOK_PORT: '80800' }).message).toContain('65535');
  });

  test.each(['discordToken', 'gatewayWebhookSecret'])('refuses %s in a file', (name) => {
    const { message, hint } = refusal(USERS, { [name]: 'very-secret' });
    expect(message).toBe(`/config.json:1:1: ${name} is a secret and may not be in a file.`);
    expect(`${message} ${hint}`).not.toContain('very-secret');
  });

  test('asks at a terminal, unless told otherwise', () => {
    const terminal = { isTerminalOnly: true };
    expect(load({}, {}, terminal)).toMatchObject({
      config: { permissionMode: 'ask' },
      warnings: [],
    });
    const allowed = load({ BATON_PERMISSION_MODE: 'allow-all' }, {}, terminal);
    expect(allowed).toMatchObject({ config: { permissionMode: 'allow-all' }, warnings: [] });
  });

  test('warns about missing users, unless the gateway is only for its own terminal', () => {
    const ask = { BATON_PERMISSION_MODE: 'ask' };
    expect(load(ask).warnings).toHaveLength(1);
    expect(load(ask, {}, { isTerminalOnly: true }).warnings).toEqual([]);
  });

  test('reads the variables of the original gateway', () => {
    const { config } = load({
      ...USERS,
      AGENT_BACKEND: 'codex',
      BACKEND_CLI_PATH: '/opt/codex',
      BACKEND_MODEL: 'm',
      BACKEND_MAX_TURNS: '7',
      ALLOWED_TOOLS: 'Read,Bash(git *)',
      QUERY_TIMEOUT_MS: '1000',
    });
    expect(config).toMatchObject({
      agentBackend: 'codex',
      backendCliPath: '/opt/codex',
      backendModel: 'm',
      backendMaxTurns: 7,
      allowedTools: ['Read', 'Bash(git *)'],
      queryTimeoutMs: 1000,
    });
  });

  test.each(['claude', 'codex', 'gemini', 'opencode'])(
    'uses the name of %s as the path of its program',
    (name) => {
      expect(load({ ...USERS, AGENT_BACKEND: name }).config.backendCliPath).toBe(name);
    },
  );

  test('refuses an unknown backend and lists the valid options', () => {
    expect(refusal({ ...USERS, AGENT_BACKEND: 'gpt' })).toMatchObject({
      code: 'config_invalid',
      message: 'Unknown backend "gpt". Valid options: claude, codex, gemini, opencode',
      hint: 'Set AGENT_BACKEND to one of claude, codex, gemini, opencode. In the permission modes ask and auto, all agents work.',
    });
  });

  test('reads hooks with any command from a variable with JSON', () => {
    const hooks = { startup: "curl -d 'a=1,b=2' http://127.0.0.1", shutdown: 'true' };
    const read = (text: string) => load({ ...USERS, BATON_GATEWAY_HOOKS: text }).config.hooks;
    expect(read(JSON.stringify(hooks))).toEqual(hooks);
    expect(read('startup=notify')).toEqual({ startup: 'notify' });
    expect(refusal({ ...USERS, BATON_GATEWAY_HOOKS: '{broken' }).message).toContain('JSON object');
  });

  test('falls back to 25 turns with a warning', () => {
    const wrong = fc.string({ minLength: 1 }).filter((text) => !/^\s*0*[1-9]\d*\s*$/.test(text));
    fc.assert(
      fc.property(wrong, (value) => {
        const { config, warnings } = load({ ...USERS, BACKEND_MAX_TURNS: value });
        expect(config.backendMaxTurns).toBe(25);
        expect(warnings[0]).toBe(
          `maxTurns (BACKEND_MAX_TURNS): ${JSON.stringify(value)} is not a whole number greater than 0. Using 25.`,
        );
      }),
      { numRuns: 100 },
    );
  });

  test('takes the file where no variable is set', () => {
    const file = {
      backend: 'gemini',
      permissionMode: 'ask',
      gatewayUsers: ['discord:2'],
      gatewayDirectMessages: true,
      gatewayHooks: { startup: 'notify, "ready"' },
      gatewayWorkingDir: '~/code',
    };
    const { config, warnings } = load({ AGENT_BACKEND: 'codex' }, file);
    expect(config).toMatchObject({
      agentBackend: 'codex',
      permissionMode: 'ask',
      workingDir: '/home/me/code',
      access: { users: ['discord:2'], directMessages: true },
      hooks: { startup: 'notify, "ready"' },
    });
    expect(warnings).toEqual([]);
  });

  test('warns that allow-all is the default', () => {
    expect(load(USERS).warnings).toEqual([
      'The agent runs every tool without asking, because no permission mode is set. Set BATON_PERMISSION_MODE to "ask" to approve tools in chat.',
    ]);
    expect(load({ ...USERS, BATON_PERMISSION_MODE: 'allow-all' }).warnings).toEqual([]);
  });

  test('refuses allow-all without allowed users', () => {
    for (const env of [
      {},
      { BATON_PERMISSION_MODE: 'allow-all' },
      { BATON_GATEWAY_GUILDS: 'discord:1' },
    ]) {
      expect(refusal(env as Record<string, string>)).toMatchObject({
        code: 'config_invalid',
        message: 'Permission mode "allow-all" requires a list of allowed users.',
      });
    }
  });

  test('warns when ask has no allowed users, because nobody gets an answer', () => {
    expect(load({ BATON_PERMISSION_MODE: 'ask' }).warnings).toEqual([
      'No users are allowed, so every message is ignored. Set BATON_GATEWAY_USERS.',
    ]);
  });

  test('refuses ids without a platform', () => {
    expect(refusal({ BATON_GATEWAY_USERS: 'discord:1,42' })).toMatchObject({
      code: 'config_invalid',
      message: 'gatewayUsers (BATON_GATEWAY_USERS): "42" does not name its platform.',
      hint: 'Write it as "discord:42".',
    });
    expect(refusal({ BATON_GATEWAY_USERS: 'bob' })).toMatchObject({
      message: 'gatewayUsers (BATON_GATEWAY_USERS): "bob" does not name its platform.',
      hint: 'Ids name their platform, such as discord:1234.',
    });
  });

  test.each(['discord:bob', 'discord:<@12>', 'discord:1,discord:2'])(
    'refuses %s, which is not an id of Discord',
    (id) => {
      expect(refusal(USERS, { gatewayChannels: ['webhook:ci', id] })).toMatchObject({
        code: 'config_invalid',
        message: expect.stringContaining(`"${id}" is not a Discord id, which is a number.`),
        hint: expect.stringContaining('Developer Mode'),
      });
    },
  );

  test('refuses unknown hooks', () => {
    expect(refusal(USERS, { gatewayHooks: { beforeLunch: 'eat' } })).toMatchObject({
      code: 'config_invalid',
      message: 'gatewayHooks (/config.json): unknown hook "beforeLunch".',
    });
  });
});

describe('isAllowed', () => {
  const rules: AccessRules = {
    users: ['discord:me'],
    guilds: ['discord:guild'],
    channels: ['discord:channel'],
    directMessages: false,
  };
  const here = {
    userId: 'discord:me',
    channelId: 'discord:other',
    guildId: 'discord:guild',
    isDirect: false,
  };

  test('needs an allowed user in an allowed server or channel', () => {
    expect(isAllowed(rules, here)).toBe(true);
    expect(isAllowed(rules, { ...here, userId: 'discord:you' })).toBe(false);
    expect(isAllowed(rules, { ...here, userId: 'slack:me' })).toBe(false);
    expect(isAllowed(rules, { ...here, guildId: 'discord:x' })).toBe(false);
    expect(isAllowed(rules, { ...here, guildId: undefined })).toBe(false);
    const listed = { ...here, guildId: 'discord:x', channelId: 'discord:channel' };
    expect(isAllowed(rules, listed)).toBe(true);
    const thread = { ...listed, channelId: 'discord:thread', parentId: listed.channelId };
    expect(isAllowed(rules, thread)).toBe(true);
    expect(isAllowed(rules, { ...thread, parentId: 'discord:other' })).toBe(false);
  });

  test('ignores direct messages unless they are switched on', () => {
    const direct = { ...here, guildId: undefined, isDirect: true };
    expect(isAllowed(rules, direct)).toBe(false);
    expect(isAllowed({ ...rules, directMessages: true }, direct)).toBe(true);
    const stranger = { ...direct, userId: 'discord:you' };
    expect(isAllowed({ ...rules, directMessages: true }, stranger)).toBe(false);
  });

  test('denies everything by default', () => {
    const nothing = { users: [], guilds: [], channels: [], directMessages: false };
    fc.assert(
      fc.property(
        fc.string(),
        fc.string(),
        fc.string(),
        fc.boolean(),
        (user, channel, guild, dm) => {
          const sender = { userId: user, channelId: channel, guildId: guild, isDirect: dm };
          expect(isAllowed(nothing, sender)).toBe(false);
        },
      ),
      { numRuns: 100 },
    );
  });
});
