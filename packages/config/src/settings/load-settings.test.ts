import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BatonError } from '@baton/protocol';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { loadSettings, type Settings, type SettingsInput } from './load-settings.ts';
import {
  type Program,
  SETTING_NAMES,
  SETTINGS,
  type Setting,
  type SettingName,
} from './setting-table.ts';

const PROGRAMS: readonly Program[] = ['baton', 'runner', 'gateway', 'chains'];

let home: string;
let cwd: string;

beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), 'settings-')));
  cwd = join(home, 'project');
  mkdirSync(join(cwd, '.git'), { recursive: true });
  mkdirSync(join(home, '.baton'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const projectFile = () => join(cwd, 'baton.json');
const userFile = () => join(home, '.baton/config.json');

function load(input: Partial<SettingsInput> = {}): Settings {
  return loadSettings({ program: 'baton', cwd, home, env: {}, ...input });
}

function refusal(input: Partial<SettingsInput> = {}): BatonError {
  try {
    load(input);
  } catch (error) {
    if (BatonError.is(error)) return error;
  }
  throw new Error('The settings were taken.');
}

const NUMBERS: ReadonlySet<SettingName> = new Set([
  'maxTurns',
  'timeout',
  'startTimeout',
  'idleTimeout',
  'budgetUsd',
  'retries',
  'gatewayRequestTimeout',
  'gatewayConcurrency',
  'gatewayWebhookPort',
]);

/** A value that every reader of this setting takes, told from others by a number. */
function sample(name: SettingName, number: number): string {
  if (NUMBERS.has(name)) return String(number);
  if (name === 'permissionMode') return ['ask', 'auto', 'ask', 'auto', 'ask'][number - 1] ?? 'ask';
  if (['allowDirectCli', 'gatewayDirectMessages', 'gatewayRequireMention'].includes(name))
    return number % 2 === 0 ? 'true' : 'false';
  if (['binaries', 'commands', 'acpAgents', 'gatewayHooks'].includes(name))
    return `claude=/v${number}`;
  return `v${number}`;
}

describe.each(PROGRAMS)(
  'in %s, for every setting, the first place that has a value wins',
  (program) => {
    test.each(SETTING_NAMES)('%s', (name) => {
      const setting: Setting = SETTINGS[name];
      const own = setting.programVariables?.[program];
      const read = (raw: unknown, reader = setting.reader) => reader.read(raw);
      const inFile = setting.userOnly !== true;

      if (setting.notInFiles) {
        writeFileSync(userFile(), JSON.stringify({ [name]: sample(name, 1) }));
        expect(refusal({ program }).message).toContain(`${name} is a secret`);
        rmSync(userFile());
      } else {
        writeFileSync(userFile(), JSON.stringify({ [name]: sample(name, 1) }));
        expect(load({ program }).get(name)).toEqual(read(sample(name, 1)));
        expect(load({ program }).origin(name)).toBe(userFile());
      }

      if (inFile) {
        writeFileSync(projectFile(), JSON.stringify({ [name]: sample(name, 2) }));
        const trusted = { BATON_TRUSTED_FOLDERS: cwd };
        expect(load({ program, env: trusted }).get(name)).toEqual(read(sample(name, 2)));
        expect(load({ program, env: trusted }).origin(name)).toBe(projectFile());
      }

      const env: Record<string, string> = { [setting.variable]: sample(name, 3) };
      expect(load({ program, env }).get(name)).toEqual(read(sample(name, 3)));
      expect(load({ program, env }).origin(name)).toBe(setting.variable);

      if (own) {
        env[own.name] = sample(name, 4);
        expect(load({ program, env }).get(name)).toEqual(read(sample(name, 4), own.reader));
        expect(load({ program, env }).origin(name)).toBe(own.name);
      }

      const flags = { [name]: sample(name, 5) };
      expect(load({ program, env, flags }).get(name)).toEqual(read(sample(name, 5)));
      expect(load({ program, env, flags }).origin(name)).toBe(setting.flag ?? 'option');
    });
  },
);

describe('a variable of one program does not act in another', () => {
  const owned = SETTING_NAMES.flatMap((name) => {
    const setting: Setting = SETTINGS[name];
    return Object.entries(setting.programVariables ?? {}).map(
      ([program, variable]) => [variable.name, program as Program, name] as const,
    );
  });

  test.each(owned)('%s acts only in %s', (variable, owner, name) => {
    const env = { [variable]: sample(name, 4) };
    for (const program of PROGRAMS) {
      const acts = load({ program, env }).origin(name) === variable;
      expect(acts).toBe(program === owner);
    }
  });

  test('the variables have the names that their programs promise', () => {
    expect(owned.map(([variable, program]) => `${program} ${variable}`)).toEqual(
      expect.arrayContaining([
        'runner FLUX_BACKEND',
        'runner CLAUDE_BIN',
        'runner FLUX_ALLOW_DIRECT_CLI',
        'gateway AGENT_BACKEND',
        'gateway BACKEND_CLI_PATH',
        'gateway BACKEND_MODEL',
        'gateway BACKEND_MAX_TURNS',
        'chains FORGE_BACKEND',
      ]),
    );
  });
});

describe('a variable of other programs acts in every program', () => {
  const shared = SETTING_NAMES.flatMap((name) => {
    const { sharedVariable, variable }: Setting = SETTINGS[name];
    return sharedVariable ? [[sharedVariable, name, variable] as const] : [];
  });

  test.each(shared)('%s sets %s, unless %s does', (own, name, variable) => {
    const env = { [own]: sample(name, 4) };
    for (const program of PROGRAMS) {
      expect(load({ program, env }).origin(name)).toBe(own);
      const both = { ...env, [variable]: sample(name, 5) };
      expect(load({ program, env: both }).origin(name)).toBe(variable);
    }
  });

  test('those of Discord bots, Pi and OpenClaw are among them', () => {
    expect(shared.map(([own]) => own)).toEqual([
      'DISCORD_TOKEN',
      'FLUX_PI_AGENT_DIR',
      'OPENCLAW_GATEWAY_URL',
      'OPENCLAW_GATEWAY_TOKEN',
      'OPENCLAW_GATEWAY_PASSWORD',
      'OPENCLAW_AGENT_ID',
    ]);
  });
});

describe('defaults', () => {
  test('are those that each program promises', () => {
    expect(load({ program: 'gateway' }).get('backend')).toBe('claude');
    expect(load({ program: 'gateway' }).get('maxTurns')).toBe(25);
    expect(load({ program: 'gateway' }).get('permissionMode')).toBe('allow-all');
    expect(load({ program: 'gateway' }).get('retries')).toBe(3);
    expect(load({ program: 'chains' }).get('backend')).toBe('claude-cli');
    for (const program of PROGRAMS) {
      expect(load({ program }).get('piAgentDir')).toBe('~/.flux/pi-agent');
    }
    expect(load({ program: 'baton' }).get('permissionMode')).toBe('ask');
    expect(load({ program: 'baton' }).get('retries')).toBe(0);
  });

  test('an unset setting has no value, and says so', () => {
    expect(load().get('model')).toBeUndefined();
    expect(load().origin('model')).toBe('not set');
    expect(load().origin('permissionMode')).toBe('default');
  });

  test('an empty variable counts as none', () => {
    expect(load({ env: { BATON_MODEL: '' } }).origin('model')).toBe('not set');
  });
});

test('values of this call can be distinguished from all others', () => {
  writeFileSync(userFile(), JSON.stringify({ systemPrompt: 'Be kind.' }));
  const settings = load({ env: { BATON_MODEL: 'm' }, flags: { maxTurns: '3' } }).onlyFlags();
  const names = SETTING_NAMES.filter((name) => settings.get(name) !== undefined);
  expect(names).toEqual(['maxTurns']);
  expect([settings.get('maxTurns'), settings.origin('model')]).toEqual([3, 'not set']);
});

describe('a value that makes no sense', () => {
  test('of a variable is rejected with its name and the expected value', () => {
    const error = refusal({ env: { BATON_MAX_TURNS: 'many' } });
    expect(error.code).toBe('config_invalid');
    expect(error.message).toBe(
      'maxTurns (BATON_MAX_TURNS): "many" is not a whole number greater than 0.',
    );
  });

  test('of a flag is refused with the flag', () => {
    expect(refusal({ flags: { timeout: 'soon' } }).message).toContain('(--timeout)');
  });

  test('of a file is refused with its place', () => {
    writeFileSync(userFile(), '{\n  "model": "m",\n  "maxTurns": [1]\n}');
    expect(refusal().message).toBe(
      `maxTurns (${userFile()}:3:3): [1] is not a whole number greater than 0.`,
    );
  });

  test('of maxTurns in the gateway becomes the default, with a warning', () => {
    const settings = load({ program: 'gateway', env: { BACKEND_MAX_TURNS: 'many' } });
    expect(settings.get('maxTurns')).toBe(25);
    expect(settings.origin('maxTurns')).toBe('default');
    expect(settings.warnings).toEqual([
      'maxTurns (BACKEND_MAX_TURNS): "many" is not a whole number greater than 0. Using 25.',
    ]);
  });

  test('of a secret is refused without showing it', () => {
    writeFileSync(userFile(), JSON.stringify({ openclawToken: 12345 }));
    const error = refusal();
    expect(error.message).toContain('openclawToken');
    expect(JSON.stringify(error)).not.toContain('12345');
  });
});

describe('with a handler for problems', () => {
  function loadWith(input: Partial<SettingsInput> = {}) {
    const problems: BatonError[] = [];
    const settings = load({ ...input, onProblem: (problem) => problems.push(problem) });
    return { settings, messages: problems.map(({ message }) => message) };
  }

  test('a broken file counts as none, and the others are read', () => {
    writeFileSync(projectFile(), '{ "model": ');
    writeFileSync(userFile(), '{ "model": "mine" }');
    const { settings, messages } = loadWith();
    expect(settings.get('model')).toBe('mine');
    expect(messages).toEqual([expect.stringContaining(`${projectFile()}:1:11: `)]);
  });

  test('a value that makes no sense counts as none', () => {
    const { settings, messages } = loadWith({
      env: { BATON_MAX_TURNS: 'many', BATON_START_TIMEOUT: 'x' },
    });
    expect(settings.get('maxTurns')).toBeUndefined();
    expect(settings.get('startTimeout')).toBe(120_000);
    expect(messages).toEqual([
      expect.stringContaining('maxTurns (BATON_MAX_TURNS)'),
      expect.stringContaining('startTimeout (BATON_START_TIMEOUT)'),
    ]);
  });

  test('what a project may not set counts as none', () => {
    writeFileSync(projectFile(), JSON.stringify({ permissionMode: 'allow-all' }));
    const { settings, messages } = loadWith();
    expect(settings.get('permissionMode')).toBe('ask');
    expect(messages).toEqual([expect.stringContaining('may not set permissionMode')]);
  });
});

describe('a file that comes with a project', () => {
  test.each<[SettingName, unknown]>([
    ['binaries', { claude: './evil' }],
    ['acpAgents', { mine: './evil' }],
    ['acpCommand', './evil'],
    ['claimedPermissions', ['acp:goose']],
    ['backendModules', ['./evil.js']],
    ['gatewayCliPath', './evil'],
    ['gatewayHooks', { startup: './evil' }],
    ['gatewayUsers', ['discord:666']],
    ['piAgentDir', './evil'],
    ['openclawUrl', 'ws://evil'],
    ['openclawToken', 'stolen'],
    ['permissionMode', 'allow-all'],
    ['allowedTools', ['Bash']],
    ['allowDirectCli', true],
  ])('may not set %s to %j', (name, value) => {
    writeFileSync(projectFile(), JSON.stringify({ [name]: value }));
    const error = refusal();
    expect(error.code).toBe('config_invalid');
    expect(error.message).toContain(`may not set ${name}`);
    expect(error.hint).toContain('~/.baton/config.json');
  });

  test('may set freely only what widens nothing, for every setting', () => {
    const free = SETTING_NAMES.filter((name) => {
      const { userOnly, narrow }: Setting = SETTINGS[name];
      return userOnly !== true && !narrow;
    });
    expect(free).toEqual(['backend', 'model', 'systemPrompt']);
  });

  test.each<[SettingName, own: unknown, asked: unknown, used: unknown, isIgnored: boolean]>([
    ['permissionMode', undefined, 'auto', 'ask', true],
    ['permissionMode', 'ask', 'auto', 'ask', true],
    ['permissionMode', 'auto', 'auto', 'auto', false],
    ['permissionMode', 'auto', 'ask', 'ask', false],
    ['permissionMode', 'allow-all', 'auto', 'auto', false],
    ['permissionMode', 'allow-all', 'ask', 'ask', false],
    ['maxTurns', undefined, 9, 9, false],
    ['maxTurns', 5, 9, 5, true],
    ['maxTurns', 5, 3, 3, false],
    ['budgetUsd', undefined, 9, 9, false],
    ['budgetUsd', 1, 100, 1, true],
    ['retries', undefined, 1000, 0, true],
    ['retries', 3, 2, 2, false],
    ['timeout', undefined, '5m', 300_000, false],
    ['timeout', '1m', '5m', 60_000, true],
    ['timeout', '1m', 0, 60_000, true],
    ['timeout', 0, '1m', 60_000, false],
    ['timeout', undefined, 0, 0, false],
    ['startTimeout', undefined, 0, 120_000, true],
    ['startTimeout', undefined, '1s', 1000, false],
    ['idleTimeout', undefined, '1h', 900_000, true],
    ['disallowedTools', ['Bash'], [], ['Bash'], true],
    ['disallowedTools', ['Bash'], ['Edit'], ['Bash', 'Edit'], true],
    ['disallowedTools', ['Bash'], ['Bash', 'Edit'], ['Bash', 'Edit'], false],
    ['disallowedTools', undefined, ['Edit'], ['Edit'], false],
  ])('never widens %s: of the user %j, of the project %j', (name, own, asked, used, isIgnored) => {
    if (own !== undefined) writeFileSync(userFile(), JSON.stringify({ [name]: own }));
    writeFileSync(projectFile(), JSON.stringify({ [name]: asked }));
    const settings = load();
    expect(settings.get(name)).toEqual(used);
    const notice = `${projectFile()}:1:2: ${name} ${JSON.stringify(asked)} is wider than your own.`;
    expect(settings.warnings).toEqual(isIgnored ? [expect.stringContaining(notice)] : []);
    const trusted = load({ env: { BATON_TRUSTED_FOLDERS: home } });
    expect(trusted.get(name)).toEqual(SETTINGS[name].reader.read(asked));
    expect(trusted.warnings).toEqual([]);
    const env = { BATON_TRUSTED_FOLDERS: home, BATON_UNTRUSTED_FOLDERS: cwd };
    expect(load({ env }).get(name)).toEqual(used);
  });

  test('does not narrow what the user passes for the call', () => {
    writeFileSync(projectFile(), JSON.stringify({ permissionMode: 'ask' }));
    expect(load({ flags: { permissionMode: 'auto' } }).get('permissionMode')).toBe('auto');
    expect(load({ env: { BATON_PERMISSION_MODE: 'auto' } }).get('permissionMode')).toBe('auto');
  });

  test('the user file overrides what a project may not set', () => {
    writeFileSync(projectFile(), JSON.stringify({ binaries: { claude: './evil' } }));
    const settings = load({ env: { BATON_BINARIES: 'claude=/mine,codex=/too' } });
    expect(settings.get('binaries')).toEqual({ claude: '/mine', codex: '/too' });
  });
});

test('every setting has a description, a variable, and a unique flag or key', () => {
  const all = SETTING_NAMES.map((name): Setting => SETTINGS[name]);
  for (const { about, variable } of all) {
    expect(about).toMatch(/^([a-z]|[A-Z]{2})/);
    expect(variable).toMatch(/^BATON_[A-Z_]+$/);
  }
  const variables = all.map(({ variable }) => variable);
  const flags = all.flatMap(({ flag }) => flag ?? []);
  expect(new Set(variables).size).toBe(variables.length);
  expect(new Set(flags).size).toBe(flags.length);
});
