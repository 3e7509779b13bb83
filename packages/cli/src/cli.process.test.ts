import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { COMMANDS } from './commands/index.ts';
import { CliWorld } from './testing/baton.ts';

const { version } = JSON.parse(readFileSync(join(import.meta.dirname, '../package.json'), 'utf8'));

test.concurrent.each(['--version', '-V'])(
  '%s prints the version and nothing else',
  async (flag) => {
    expect(await new CliWorld().call({ args: [flag] })).toEqual({
      code: 0,
      stdout: `${version}\n`,
      stderr: '',
    });
  },
);

describe.concurrent('help', () => {
  test.each(['--help', '-h', 'help'])('%s names every command', async (flag) => {
    const { code, stdout, stderr } = await new CliWorld().call({ args: [flag] });
    expect([code, stderr]).toEqual([0, '']);
    for (const name of COMMANDS.keys()) expect(stdout).toContain(`  ${name} `);
  });

  test('is what a call without a command gets, as a mistake', async () => {
    const { code, stdout } = await new CliWorld().call({ args: [] });
    expect(code).toBe(2);
    expect(stdout).toContain('Usage: baton <command>');
  });

  test.each([...COMMANDS.keys()])('of %s explains its usage and every option', async (name) => {
    const world = new CliWorld();
    const { code, stdout, stderr } = await world.call({ args: [name, '--help'] });
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toContain(`Usage: baton ${name}`);
    const command = await COMMANDS.get(name)?.load();
    for (const option of Object.keys(command?.options ?? {}))
      expect(stdout).toContain(`--${option}`);
    expect((await world.call({ args: ['help', name] })).stdout).toBe(stdout);
  });

  test('is not triggered by a prompt after --', async () => {
    const { stdout } = await new CliWorld().call({ args: ['run', '--', '--help', 'demo:garbage'] });
    expect(stdout).toBe('That was garbage.');
  });
});

describe.concurrent('a mistake in the call', () => {
  test.each<[string, string[], string, string]>([
    ['an unknown command', ['frobnicate'], 'Unknown command "frobnicate".', 'Commands: run,'],
    ['a mistyped command', ['rnu'], 'Unknown command "rnu".', 'Did you mean "run"?'],
    [
      'a mistyped option',
      ['run', '--bakend', 'demo'],
      "Unknown option '--bakend'.",
      'Did you mean --backend?',
    ],
    ['a name that every object has', ['constructor'], 'Unknown command', 'Commands: run,'],
    ['an unknown option', ['run', '--nonsense', 'x'], "Unknown option '--nonsense'.", 'run --help'],
    ['an unknown short option', ['run', '-Z', 'x'], "Unknown option '-Z'.", 'run --help'],
    ['a missing value', ['run', '-m'], '--model needs a value.', 'hint: --model MODEL: '],
    ['a daemon without an address', ['run', 'x', '--daemon'], '--daemon needs a value.', '"auto"'],
    [
      'an option in the place of a daemon',
      ['run', '--daemon', '--json', 'x'],
      '--daemon needs a value',
      '"auto"',
    ],
    ['a prompt in the place of a daemon', ['run', '--daemon', 'Hi'], 'not a daemon URL.', '"auto"'],
    [
      'an option in the place of a value',
      ['run', '--model', '--json'],
      '--model needs a value, and "--json" looks like an option.',
      'write --model=--json. See "baton run --help"',
    ],
    [
      'a negative number',
      ['run', '--retries', '-1', 'x'],
      '--retries needs a value, and "-1" looks like an option.',
      'write --retries=-1.',
    ],
    [
      'a negative number behind a short option',
      ['run', '-vt', '-1', 'x'],
      '-t needs a value, and "-1" looks like an option.',
      'write --timeout=-1.',
    ],
    [
      'a prompt that begins with a dash',
      ['run', '-hello there'],
      "Unknown option '-e' in '-hello there'.",
      'put it after "--": baton run -- "-hello there".',
    ],
    [
      'a prompt that begins with two dashes',
      ['chat', '--hello'],
      "Unknown option '--hello'.",
      'put it after "--": baton chat -- "--hello".',
    ],
    [
      'a new prompt that begins with a dash',
      ['tasks', 'edit', '1a2b', '--hello'],
      "Unknown option '--hello'.",
      'put it after "--": baton tasks edit ID -- "--hello".',
    ],
    ['an option where no prompt belongs', ['tasks', '--wrong'], "'--wrong'.", 'hint: See "baton'],
    [
      'a value where none belongs',
      ['run', '--json=1', 'x'],
      'does not take an argument.',
      '--help',
    ],
    ['an argument too many', ['config', 'x'], "Unexpected argument 'x'.", 'config --help'],
    ['another argument too many', ['doctor', 'x'], "Unexpected argument 'x'.", '--help'],
  ])('%s', async (_name, args, message, hint) => {
    const { code, stdout, stderr } = await new CliWorld().call({ args });
    expect([code, stdout]).toEqual([2, '']);
    const [first, second, ...rest] = stderr.trimEnd().split('\n');
    expect(first).toMatch(/^error \(usage\): /);
    expect(first).toContain(message);
    expect(second).toMatch(/^hint: /);
    expect(second).toContain(hint);
    expect(rest).toEqual([]);
  });
});
