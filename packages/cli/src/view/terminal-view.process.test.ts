import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, inject, test, vi } from 'vitest';
import { CliWorld } from '../testing/baton.ts';

const script = (...steps: object[]) => `demo:script ${JSON.stringify(steps)}`;
const CTRL_C = '\u0003';
const ESCAPE = '\u001b';
/** Colours, and nothing else that a terminal obeys. */
const COLOUR = new RegExp(`${ESCAPE}\\[[\\d;]*m`);

async function shown(args: string[], env?: Record<string, string>, size?: string) {
  return new CliWorld().terminal({ args: ['run', ...args], env }, size).end();
}

describe.concurrent('a run at a terminal', () => {
  test('shows the agent, thinking, plan, tools, text and the end', async () => {
    const steps = script(
      { think: 'Hm.' },
      { plan: [{ text: 'Look', status: 'in_progress' }] },
      { read: '.' },
      { shell: 'exit 3 #\u202E\nls' },
      { say: 'That is all\u202E.' },
    );
    const { code, output } = await shown(['-p', 'allow-all', steps], { NO_COLOR: '1' });
    expect(code).toBe(0);
    const order = [
      '▸ demo (version 1) in ',
      'Hm.',
      '▣ Look',
      '✓ Read .',
      '✗ $ exit 3 #⟨U+202E⟩ ⏎ ls',
      'exit 3',
      'That is all⟨U+202E⟩.',
      '✓ done in ',
      'resume with:',
      'baton run --backend demo --resume ',
      ' "…"',
    ];
    let at = 0;
    for (const words of order) {
      const next = output.indexOf(words, at);
      expect([words, next]).toEqual([words, expect.any(Number)]);
      expect(next, words).toBeGreaterThanOrEqual(at);
      at = next;
    }
  });

  test('shows why a run failed', async () => {
    const { code, output } = await shown(['demo:fail'], { NO_COLOR: '1' });
    expect(code).toBe(1);
    expect(output).toContain('✗ failed after ');
    expect(output).toContain('error (agent_failed): The demo agent failed');
    expect(output).toContain('hint: ');
  });

  test('shows a spinner while working, and removes it at the end', async () => {
    const steps = script({ shell: 'sleep 0.5 #\u202E' }, { say: 'Slept.' });
    const { output } = await shown(['-p', 'allow-all', steps], { NO_COLOR: '1' });
    expect(output).toMatch(/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] \$ sleep 0\.5 #⟨U\+202E⟩ \d+ ms/);
    const last = output.lastIndexOf('sleep 0.5');
    expect(output.slice(0, last)).toContain(`\r${ESCAPE}[2K`);
    const screen = lastLines(output);
    expect(screen.join('\n')).not.toMatch(/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]/);
    expect(screen).toContain('Slept.');
  });

  test('wraps lines between words, at the width of the terminal', async () => {
    const text = 'word '.repeat(30).trim();
    const { output } = await shown(
      [script({ say: text })],
      { NO_COLOR: '1' },
      'stty cols 40 rows 20',
    );
    const said = output
      .replaceAll('\r', '')
      .split('\n')
      .filter((line) => /^(word ?)+$/.test(line));
    expect(said.length).toBeGreaterThan(2);
    expect(Math.max(...said.map((line) => line.trimEnd().length))).toBeLessThanOrEqual(40);
  });

  test.each([40, 80])('wraps an error between words too, at %d columns', async (columns) => {
    const { code, output } = await shown(
      ['--model', 'x', 'hello'],
      { NO_COLOR: '1' },
      `stty cols ${columns} rows 20`,
    );
    expect(code).toBe(2);
    const lines = output.trimEnd().split('\r\n');
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(columns);
    expect(lines.map((line) => line.trim()).join(' ')).toContain(
      'error (capability_missing): Demo agent does not support model (the demo agent has no model). hint: Omit',
    );
  });

  test('the resume command names the folder when it is a different one', async () => {
    const { output } = await shown(['-C', '..', '--session-id', 'mine', script({ say: 'Hi.' })], {
      NO_COLOR: '1',
    });
    expect(output).toMatch(/baton run --backend demo --cwd \S+ --resume mine "…"/);
  });

  test('the resume command has the name of the backend as it was typed', async () => {
    const { output } = await shown(['--backend', 'Demo', script({ say: 'Hi.' })], {
      NO_COLOR: '1',
    });
    expect(output).toContain('baton run --backend Demo --resume ');
  });

  test('a terminal that does not know its width still shows lines', async () => {
    const text = 'word '.repeat(10).trim();
    const { output } = await shown(
      [script({ say: text })],
      { NO_COLOR: '1' },
      'stty cols 0 rows 0',
    );
    expect(output).toContain(text);
  });
});

describe.concurrent('colours', () => {
  test('are shown on a terminal', async () => {
    expect((await shown([script({ say: 'Hi.' })])).output).toMatch(COLOUR);
  });

  test.each<Record<string, string>>([{ NO_COLOR: '1' }, { NODE_DISABLE_COLORS: '1' }])(
    'are not there with %j',
    async (env) => {
      const { output } = await shown(['demo:fail'], env);
      expect(output).toContain('error (agent_failed)');
      expect(output).not.toMatch(COLOUR);
    },
  );
});

test.concurrent('what the agent says cannot command the terminal', async () => {
  const evil = `a${ESCAPE}[31mb${ESCAPE}]0;title\u0007c\u009b2Jd`;
  const steps = script(
    { say: evil },
    { think: evil },
    { plan: [{ text: evil, status: 'pending' }] },
    { read: `no${ESCAPE}[31m-such` },
    { garbage: evil },
    { fail: evil },
  );
  const { output } = await shown(['-v', steps], { NO_COLOR: '1' });
  const cleaned = output.replaceAll(`\r${ESCAPE}[2K`, '').replaceAll('\r\n', '\n');
  expect(cleaned).toContain('abcd');
  const commands = [...cleaned].filter((each) => /\p{Cc}/u.test(each) && !'\n\t'.includes(each));
  expect(commands).toEqual([]);
});

test.concurrent('a terminal that is closed stops the run, exit code 130', async () => {
  const world = new CliWorld();
  // The shell outlives its terminal, to tell how the run ended.
  const call = `'${process.execPath}' '${inject('baton')}' run demo:stall`;
  const script = `trap "" HUP; ${call}; echo $? > code.txt`;
  const child = world.spawn('script', ['-qec', script, '/dev/null']);
  await once(child.stdout, 'data');
  child.kill('SIGKILL');
  const code = () => readFileSync(join(world.cwd, 'code.txt'), 'utf8');
  await vi.waitFor(() => expect(code()).toBe('130\n'), { timeout: 20_000 });
});

describe.concurrent('Ctrl-C', () => {
  test('stops the run and reports it', async () => {
    const terminal = new CliWorld().terminal({
      args: ['run', 'demo:stall'],
      env: { NO_COLOR: '1' },
    });
    await terminal.until('silent now.');
    terminal.type(CTRL_C);
    const { code, output } = await terminal.end();
    expect(code).toBe(130);
    expect(output).toContain('Stopping. Press Ctrl-C again to force.');
    expect(output).toContain('✗ cancelled after ');
  });

  test('twice forces an agent that does not listen', async () => {
    const terminal = new CliWorld().terminal({ args: ['run', 'demo:stubborn'] });
    await terminal.until('signals.');
    terminal.type(CTRL_C);
    await terminal.until('again to force');
    terminal.type(CTRL_C);
    expect((await terminal.end()).code).toBe(130);
  });
});

test.concurrent('without an installed agent and without a choice, uses the demo with a notice', async () => {
  const terminal = new CliWorld().terminal({
    args: ['run', script({ say: 'Hi.' })],
    env: { BATON_BACKEND: '', NO_COLOR: '1' },
  });
  const { code, output } = await terminal.end();
  expect(code).toBe(0);
  expect(output).toContain('Claude Code is not installed; using the built-in demo agent');
  expect(output).toContain('Hi.');
});

test.concurrent('suggests another installed agent instead', async () => {
  const world = new CliWorld();
  install(world, 'codex');
  const terminal = world.terminal(
    { args: ['run', 'Hello'], env: { BATON_BACKEND: '', NO_COLOR: '1' } },
    'stty cols 300 rows 30',
  );
  const { code, output } = await terminal.end();
  expect(code).toBe(1);
  expect(output).toContain(
    'hint: Install it: baton backends install claude, or set BATON_CLAUDE_BIN to its path. Or use an installed agent: --backend codex.',
  );
});

test.concurrent('a script without an agent gets an error instead', async () => {
  const { code, stderr } = await new CliWorld().call({
    args: ['run', 'Hello'],
    env: { BATON_BACKEND: '' },
  });
  expect(code).toBe(1);
  expect(stderr).toMatch(/^error \(backend_not_found\): claude was not found in .* or PATH\.\n/);
  expect(stderr).toMatch(/\nhint: Install it: baton backends install claude, or set /);
  const { events } = await new CliWorld().events({
    args: ['run', '--backend', 'claude', 'Hello'],
  });
  const hint = stderr.split('\nhint: ')[1]?.trim();
  expect(events.at(-1)).toMatchObject({ error: { code: 'backend_not_found', hint } });
});

test.concurrent('chat rejects the demo agent, which has no interactive mode', async () => {
  const { code, output } = await new CliWorld()
    .terminal({ args: ['chat'], env: { NO_COLOR: '1' } })
    .end();
  expect(code).toBe(2);
  expect(output).toContain('Demo agent has no interactive mode.');
});

function install(world: CliWorld, name: string): void {
  const folder = join(world.home, '.local/bin');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, name), '#!/bin/sh\n', { mode: 0o755 });
}

/** The lines as a terminal would leave them, without what was wiped away. */
function lastLines(output: string): string[] {
  return output.split('\n').map((line) => {
    const kept = line.split(`\r${ESCAPE}[2K`).at(-1) ?? '';
    return kept.replaceAll('\r', '');
  });
}
