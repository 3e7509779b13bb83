import { execFileSync, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createBaton } from '@baton/agents/registry/create-baton';
import { beforeAll, describe, expect, test } from 'vitest';
import { CliWorld } from '../../testing/baton.ts';
import { COMMANDS } from '../index.ts';
import { SHELLS } from './completions.ts';
import { describeCommands } from './describe-commands.ts';

const scripts = new Map<string, string>();
/** Shells to test: bash is everywhere, the others where they are installed. */
const shells = ['bash', 'zsh', 'fish'].filter(
  (shell) => shell === 'bash' || spawnSync(shell, ['-c', 'true']).status === 0,
);

beforeAll(async () => {
  const commands = await describeCommands(COMMANDS, await createBaton({ settings: 'none' }));
  for (const [shell, make] of SHELLS) scripts.set(shell, make(commands));
});

describe.concurrent.each(['bash', 'zsh', 'fish'])('the script for %s', (shell) => {
  test('is what the command prints', async () => {
    const { code, stdout, stderr } = await new CliWorld().call({ args: ['completions', shell] });
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toBe(scripts.get(shell));
  });

  test('knows every command and every option', async () => {
    const script = scripts.get(shell) ?? '';
    for (const [name, { load }] of COMMANDS) {
      expect(script).toContain(name);
      for (const option of Object.keys((await load()).options)) expect(script).toContain(option);
    }
  });
});

test.concurrent.each(shells)('%s itself finds no mistake in its script', (shell) => {
  const world = new CliWorld();
  const path = join(world.home, 'completion');
  writeFileSync(path, scripts.get(shell) ?? '');
  const { status, stderr } = spawnSync(shell, ['-n', path], { encoding: 'utf8' });
  expect([status, stderr]).toEqual([0, '']);
});

describe.concurrent('bash completes', () => {
  /** Returns the completions that bash offers for the last word of a line. */
  function offered(...words: string[]): string[] {
    const world = new CliWorld();
    writeFileSync(join(world.cwd, 'notes.md'), '');
    const call = `${scripts.get('bash')}
COMP_WORDS=(baton ${words.map((word) => `'${word}'`).join(' ')})
COMP_CWORD=${words.length}
_baton
printf '%s\\n' "\${COMPREPLY[@]}"`;
    const out = execFileSync('bash', ['-c', call], { cwd: world.cwd, encoding: 'utf8' });
    return out.trim().split('\n');
  }

  test.each<[string, string[], string[]]>([
    ['commands', ['c'], ['chain', 'chat', 'compile', 'config', 'completions', 'conformance']],
    ['options', ['run', '--permission'], ['--permission-mode']],
    ['options of this command only', ['doctor', '--'], ['--json', '--help']],
    ['the values of an option', ['run', '-p', 'a'], ['ask', 'auto', 'allow-all']],
    ['backends and their aliases', ['run', '--backend', 'claude-c'], ['claude-cli', 'claude-code']],
    ['files', ['run', '--file', 'no'], ['notes.md']],
    ['shells', ['completions', 'f'], ['fish']],
  ])('%s', (_name, words, expected) => {
    expect(offered(...words).sort()).toEqual(expected.sort());
  });
});

test.concurrent.each([[[]], [['tcsh']], [['constructor']], [['bash', 'zsh']]])(
  'completions %j is a mistake',
  async (shell) => {
    const { code, stdout, stderr } = await new CliWorld().call({ args: ['completions', ...shell] });
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain('bash, zsh, fish');
  },
);
