import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RunResult } from '@baton/protocol';
import { describe, expect, test, vi } from 'vitest';
import { CliWorld } from '../testing/baton.ts';

const say = (text: string) => `demo:script [{"say":${JSON.stringify(text)}}]`;
const script = (...steps: object[]) => `demo:script ${JSON.stringify(steps)}`;

/** The agent does not ask, but leaves a tool unused for want of permission, as Claude does in print mode. */
const DENIED = script({
  garbage: JSON.stringify({ type: 'tool.completed', callId: 'c', name: 'Bash', outcome: 'denied' }),
});

describe.concurrent('the prompt', () => {
  test('comes from the arguments', async () => {
    const { stdout } = await new CliWorld().call({ args: ['run', ...say('Hi.').split(' ')] });
    expect(stdout).toBe('Hi.');
  });

  test.each([[['run']], [['run', '-']]])('comes from standard input: %j', async (args) => {
    const { stdout } = await new CliWorld().call({ args, input: say('Piped.') });
    expect(stdout).toBe('Piped.');
  });

  test('comes from a file', async () => {
    const world = new CliWorld();
    writeFileSync(join(world.cwd, 'prompt.md'), say('Filed.'));
    expect((await world.call({ args: ['run', '--file', 'prompt.md'] })).stdout).toBe('Filed.');
  });

  test('of the arguments does not wait for standard input', async () => {
    const world = new CliWorld();
    const child = world.start({ args: ['run', say('At once.')] });
    expect((await world.finish(child)).stdout).toBe('At once.');
  });

  test('may start with a dash, after --', async () => {
    const { stdout } = await new CliWorld().call({ args: ['run', '--', `-x ${say('Dash.')}`] });
    expect(stdout).toBe('Dash.');
  });

  test('may have 10 MB', async () => {
    const { code, stdout } = await new CliWorld().call({
      args: ['run'],
      input: `${say('Long.')} ${'x'.repeat(10_000_000)}`,
    });
    expect([code, stdout]).toEqual([0, 'Long.']);
  });
});

describe.concurrent('what cannot be run is refused with a code and a hint, and exit code 2', () => {
  test.each<[string, string[], string, RegExp]>([
    ['an empty prompt', ['run', ''], 'usage', /prompt is empty/],
    ['a blank prompt', ['run', '  '], 'usage', /prompt is empty/],
    ['nothing on standard input', ['run'], 'usage', /prompt is empty/],
    ['two prompts', ['run', '-f', 'p.md', 'x'], 'usage', /not both/],
    ['a prompt file that is not there', ['run', '-f', 'nowhere.md'], 'usage', /nowhere\.md/],
    ['an unknown backend', ['run', '-b', 'claud', 'x'], 'backend_unknown', /Did you mean claude/],
    ['a model for an agent that has none', ['run', '-m', 'x', 'x'], 'capability_missing', /model/],
    ['a folder that is not there', ['run', '-C', 'nowhere', 'x'], 'cwd_missing', /nowhere/],
    ['an unknown permission mode', ['run', '-p', 'yolo', 'x'], 'config_invalid', /ask, auto/],
    ['a time that is none', ['run', '-t', 'soon', 'x'], 'config_invalid', /--timeout/],
    ['an unknown transport', ['run', '--transport', 'pigeon', 'x'], 'usage', /Use one of live/],
    ['a pace that is none', ['run', '--option', 'pace=abc', 'x'], 'usage', /milliseconds/],
    ['a fork of nothing', ['run', '--fork', 'x'], 'usage', /resumed session/],
    ['a variable without a value', ['run', '--env', 'A', 'x'], 'usage', /KEY=VALUE/],
    ['a schema that is not there', ['run', '--output-schema', 'no', 'x'], 'usage', /output schema/],
  ])('%s', async (_name, args, code, words) => {
    const finished = await new CliWorld().call({ args });
    expect(finished.code).toBe(2);
    expect(finished.stdout).toBe('');
    expect(finished.stderr).toMatch(new RegExp(`^error \\(${code}\\): .+\\nhint: .+\\n$`));
    expect(finished.stderr).toMatch(words);
  });

  test('a prompt with a NUL character', async () => {
    const { code, stderr } = await new CliWorld().call({ args: ['run'], input: 'a\0b' });
    expect(code).toBe(2);
    expect(stderr).toMatch(/NUL/);
  });

  test('a schema that is none', async () => {
    const world = new CliWorld();
    writeFileSync(join(world.cwd, 'schema.json'), '{"type":"objekt"}');
    const { code, stderr } = await world.call({
      args: ['run', '--output-schema', 'schema.json', say('{}')],
    });
    expect(code).toBe(2);
    expect(stderr).toMatch(/not a valid JSON Schema/);
  });

  test('a configuration with a mistake, shown with its place', async () => {
    const world = new CliWorld();
    writeFileSync(join(world.cwd, 'baton.json'), '{\n  "retries": "x"\n}');
    const { code, stderr } = await world.call({ args: ['run', 'x'] });
    expect(code).toBe(2);
    expect(stderr).toContain(`${join(world.cwd, 'baton.json')}:2:3`);
  });

  test('but not a setting of another version, which is ignored with a warning', async () => {
    const world = new CliWorld();
    writeFileSync(join(world.cwd, 'baton.json'), '{\n  "modle": "x"\n}');
    const { code, stderr } = await world.call({ args: ['run', say('Hello.')] });
    expect(code).toBe(0);
    const place = `${join(world.cwd, 'baton.json')}:2:3`;
    expect(stderr).toContain(`${place}: unknown setting "modle" is ignored. Did you mean model`);
  });
});

describe.concurrent('exit codes', () => {
  test.each<[number, string, string[]]>([
    [0, 'a run that is done', [say('Hi.')]],
    [1, 'a run that failed', ['demo:fail']],
    [1, 'an agent that crashed', ['demo:crash']],
    [2, 'a mistake', ['--nonsense']],
    [3, 'a run that took too long', ['--timeout', '300ms', 'demo:stall']],
    [3, 'an agent that fell silent', ['--idle-timeout', '300ms', 'demo:stall']],
    [4, 'a session that does not exist', ['--resume', 'nobody', say('Hi.')]],
    [5, 'a permission that nobody was there to give', [script({ shell: 'true' })]],
    [5, 'a tool that the agent denied itself', [DENIED]],
    [0, 'the same with everything allowed', ['-p', 'allow-all', DENIED]],
  ])('%d: %s', async (expected, _name, args) => {
    expect((await new CliWorld().call({ args: ['run', ...args] })).code).toBe(expected);
  });

  test.each<[string, string[], string]>([
    [
      'each request once',
      [script({ shell: 'true' }, { shell: 'false' })],
      '2 requests were denied because no one was there to ask.',
    ],
    [
      'what the agent denied itself',
      [DENIED],
      '1 request was denied because no one was there to ask.',
    ],
  ])('5 is explained: %s', async (_name, args, words) => {
    const { stderr } = await new CliWorld().call({ args: ['run', ...args] });
    expect(stderr).toMatch(/^error \(permission_denied\): .+\nhint: .*--permission-mode.*\n$/);
    expect(stderr).toContain(words);
  });

  test('5 only when something was denied', async () => {
    const args = ['run', '--permission-mode', 'allow-all', script({ shell: 'true' })];
    expect((await new CliWorld().call({ args })).code).toBe(0);
  });

  test('1 when the answer misses its schema, 0 when it matches', async () => {
    const world = new CliWorld();
    writeFileSync(join(world.cwd, 's.json'), '{"type":"object","required":["n"]}');
    const run = (text: string) =>
      world.call({ args: ['run', '--output-schema', 's.json', say(text)] });
    expect((await run('{"n":1}')).code).toBe(0);
    expect(await run('{}')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('schema_mismatch'),
    });
  });
});

describe.concurrent('--json', () => {
  test('prints one event per line and nothing else', async () => {
    const world = new CliWorld();
    const { code, stderr, events } = await world.events({
      args: ['run', '-p', 'auto', 'Show me around'],
    });
    expect(stderr).toBe('');
    expect(code).toBe(5);
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
    expect(events[0]).toMatchObject({ type: 'run.started', backend: 'demo', cwd: world.cwd });
    expect(events.at(-1)).toMatchObject({ type: 'run.completed', outcome: 'done' });
    expect(existsSync(join(world.cwd, 'hello-from-baton.md'))).toBe(true);
  });

  test('reports the error of a failed run', async () => {
    const { code, events } = await new CliWorld().events({ args: ['run', 'demo:fail'] });
    const result = events.at(-1) as unknown as RunResult;
    expect(code).toBe(1);
    expect(result.error).toMatchObject({ code: 'agent_failed', retryable: false });
  });

  test('with -v keeps notices off standard output', async () => {
    const { stderr, events } = await new CliWorld().events({ args: ['run', '-v', say('Hi.')] });
    expect(stderr).toMatch(/^backend: demo \(BATON_BACKEND\)\ncommand \(live, in /);
    expect(events.length).toBeGreaterThan(3);
  });
});

test.each([
  ['-r', ''],
  ['--session-id', ''],
  ['-m', ''],
  ['-C', ''],
  ['--output-schema', ''],
])('%s with an empty value is a mistake, not a run without it', async (...option) => {
  const { code, stdout } = await new CliWorld().call({ args: ['run', ...option, say('Hi.')] });
  expect([code, stdout]).toEqual([2, '']);
});

describe.concurrent('in a pipe', () => {
  test('only the answer is printed', async () => {
    const steps = script({ think: 'Hm.' }, { say: 'One.' }, { read: '.' }, { say: 'Two.' });
    expect(await new CliWorld().call({ args: ['run', steps] })).toEqual({
      code: 0,
      stdout: 'Two.',
      stderr: '',
    });
  });

  test('with -v notices go to standard error', async () => {
    const steps = script({ say: 'One.' }, { read: '.' }, { say: 'Two.' });
    const { stdout, stderr } = await new CliWorld().call({ args: ['run', '-v', steps] });
    expect(stdout).toBe('Two.');
    expect(stderr).toMatch(/^One\.$/m);
  });

  test.each([
    ['control characters', 'a\u001b[31mb\u001b]0;title\u0007c\u009b2Jd\re\b\v\ff'],
    ['line ends of others', 'one\r\ntwo\r\n'],
    ['several empty lines at the end', 'one\n\n'],
    ['no newline at the end', 'one\ntwo'],
    ['what turns the direction of writing', 'a\u202eb'],
  ])('the answer is exactly what the agent said: %s', async (_name, text) => {
    const { stdout } = await new CliWorld().call({ args: ['run', say(text)] });
    expect(stdout).toBe(text);
  });

  test('info notices go to standard error with -v, warnings always', async () => {
    const notice = (level: string, more: object = {}) => ({
      garbage: JSON.stringify({
        type: 'notice',
        level,
        code: 'x',
        message: `Some ${level}.`,
        ...more,
      }),
    });
    const steps = script(notice('info'), notice('warning', { parentId: 'c' }), { say: 'Hi.' });
    const quiet = await new CliWorld().call({ args: ['run', steps] });
    expect(quiet).toEqual({ code: 0, stdout: 'Hi.', stderr: 'warning: Some warning.\n' });
    const { stdout, stderr } = await new CliWorld().call({ args: ['run', '-v', steps] });
    expect(stdout).toBe('Hi.');
    expect(stderr).toContain('\ninfo: Some info.\nwarning: Some warning.\n');
  });

  test('a failed run has no answer; its last text goes before the error', async () => {
    const { stdout, stderr } = await new CliWorld().call({ args: ['run', 'demo:fail'] });
    expect(stdout).toBe('');
    expect(stderr).toMatch(/^I am going to fail now\.\nerror \(agent_failed\): .+\nhint: /);
  });
});

/** The agent is given a little more than this to listen to its first interrupt. */
const SOON_MS = 250;

/** Presses Ctrl-C when the agent does not listen, and again when the command says that it stops it. */
async function interruptTwice() {
  const world = new CliWorld();
  const child = world.start({ args: ['run', '--json', 'demo:stubborn'] });
  let stdout = '';
  let [first, second] = [0, 0];
  child.stdout.on('data', (chunk) => {
    stdout += chunk;
    if (!String(chunk).includes('message.completed')) return;
    first = performance.now();
    child.kill('SIGINT');
  });
  child.stderr.once('data', () => {
    second = performance.now();
    child.kill('SIGINT');
  });
  const { code } = await world.finish(child);
  const { stop } = JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '');
  return { code, stop, betweenMs: second - first };
}

describe.concurrent('Ctrl-C', () => {
  test('stops the run, exit code 130, and nothing is left', async () => {
    const world = new CliWorld();
    const child = world.start({
      args: ['run', '--json', '-p', 'allow-all', script({ say: 'Go.' }, { shell: 'sleep 60' })],
    });
    await once(child.stdout, 'data');
    child.kill('SIGINT');
    const { code, stderr } = await world.finish(child);
    expect(code).toBe(130);
    expect(stderr).toContain('Stopping. Press Ctrl-C again to force.');
  });

  test('twice forces an agent that does not listen', async () => {
    let twice = await interruptTwice();
    // On a busy machine the second one can come when the agent has been given its next chance.
    for (let n = 0; n < 5 && twice.betweenMs > SOON_MS; n += 1) twice = await interruptTwice();
    const { code, stop } = twice;
    expect(code).toBe(130);
    expect(stop.state).toBe('stopped');
    expect(stop.steps.map(({ step }: { step: string }) => step)).toEqual(['interrupt', 'kill']);
  });

  test.each(['SIGTERM', 'SIGHUP'] as const)(
    '%s does the same, without advice about keys',
    async (signal) => {
      const world = new CliWorld();
      const child = world.start({ args: ['run', '--json', 'demo:stall'] });
      await once(child.stdout, 'data');
      child.kill(signal);
      expect(await world.finish(child)).toMatchObject({ code: 130, stderr: 'Stopping.\n' });
    },
  );

  test('SIGQUIT forces it at once, and nothing is left', async () => {
    const world = new CliWorld();
    const child = world.start({ args: ['run', '--json', 'demo:stubborn'] });
    let stdout = '';
    child.stdout.on('data', (chunk) => {
      stdout += chunk;
      if (String(chunk).includes('message.completed')) child.kill('SIGQUIT');
    });
    const { code, stderr } = await world.finish(child);
    expect([code, stderr]).toEqual([130, 'Stopping now.\n']);
    const { stop } = JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '');
    expect(stop.state).toBe('stopped');
    expect(stop.steps.at(-1).step).toBe('kill');
  });

  test('also ends tools that the agent started in a separate session', async () => {
    const world = new CliWorld();
    const steps = script({ say: 'Go.' }, { shell: 'touch began; sleep 60', ownSession: true });
    const child = world.start({ args: ['run', '-p', 'allow-all', '--json', steps] });
    const finished = world.finish(child);
    await vi.waitFor(() => expect(existsSync(join(world.cwd, 'began'))).toBe(true), 10_000);
    child.kill('SIGINT');
    expect((await finished).code).toBe(130);
  });
});

describe('a reader of the output', () => {
  test('that goes away stops the run, and nothing is left', async () => {
    const world = new CliWorld();
    const child = world.shell(`
      baton run --json 'demo:flood=200000' | head -1
      echo "\${PIPESTATUS[0]}"`);
    const { stdout, stderr } = await world.finish(child);
    const [event = '', code] = stdout.trim().split('\n');
    expect(JSON.parse(event).type).toBe('run.started');
    expect([code, stderr]).toEqual(['130', '']);
  });

  test.each([[''], ['--json']])('that is full stops the run with the reason: %s', async (json) => {
    const world = new CliWorld();
    const child = world.shell(`baton run ${json} 'demo:flood=200000' > /dev/full; echo "$?"`);
    const { stdout, stderr } = await world.finish(child);
    expect(stdout).toBe('1\n');
    expect(stderr).toMatch(/^error \(internal\): Cannot write the output: ENOSPC.+\nhint: .+\n$/);
  });

  test('that is full at the end is reported by every command', async () => {
    for (const call of [`run '${say('Hi.')}'`, 'config', '--help']) {
      const world = new CliWorld();
      const child = world.shell(`baton ${call} > /dev/full; echo "$?"`);
      const { stdout, stderr } = await world.finish(child);
      expect([call, stdout]).toEqual([call, '1\n']);
      expect(stderr).toMatch(/ENOSPC/);
    }
  });

  test('that is slow applies backpressure to the agent', async () => {
    const world = new CliWorld();
    const child = world.start({ args: ['run', '--json', 'demo:flood=300000'] });
    await once(child.stdout, 'readable');
    await world.untilIdle();
    expect(world.running()).toContainEqual(expect.stringContaining('demo-agent'));
    expect(world.memory(child.pid)).toBeLessThan(150);
    child.kill('SIGINT');
    const [code] = await once(child, 'exit');
    expect(code).toBe(130);
    world.expectNothingLeft();
    child.stdout.destroy();
  });

  test('of standard error that closes is not a failure', async () => {
    const world = new CliWorld();
    const child = world.start({ args: ['run', '-v', say('Hi.')] });
    child.stderr.destroy();
    const stdout: string[] = [];
    child.stdout.on('data', (chunk) => stdout.push(String(chunk)));
    const [code] = await once(child, 'close');
    expect([code, stdout.join('')]).toEqual([0, 'Hi.']);
  });
});

describe.concurrent('what a setting says and the agent cannot keep', () => {
  test('is left away with a warning when a variable says it', async () => {
    const world = new CliWorld();
    const { code, stdout, stderr } = await world.call({
      args: ['run', say('Hi.')],
      env: { BATON_MODEL: 'opus' },
    });
    expect([code, stdout]).toEqual([0, 'Hi.']);
    expect(stderr.trimEnd().split('\n')).toEqual([
      'warning: model (BATON_MODEL) is ignored: not supported by Demo agent: the demo agent has no model.',
    ]);
  });

  test('is ignored with a notice where a project asks for a wider mode than the user', async () => {
    const world = new CliWorld();
    writeFileSync(join(world.cwd, 'baton.json'), '{ "permissionMode": "auto" }');
    const prompt = `demo:script ${JSON.stringify([{ write: { path: 'a.txt', content: 'x' } }])}`;
    const untrusted = await world.call({ args: ['run', prompt] });
    expect(untrusted.stderr).toContain('permissionMode "auto" is wider than your own');
    expect(existsSync(join(world.cwd, 'a.txt'))).toBe(false);
    const env = { BATON_TRUSTED_FOLDERS: world.cwd };
    const trusted = await world.call({ args: ['run', prompt], env });
    expect(trusted.stderr).not.toContain('wider');
    expect(existsSync(join(world.cwd, 'a.txt'))).toBe(true);
  });

  test('is refused when it is a prohibition, wherever it is said', async () => {
    const world = new CliWorld();
    writeFileSync(join(world.cwd, 'baton.json'), '{ "disallowedTools": ["Bash"] }');
    const { code, stderr } = await world.call({ args: ['run', say('Hi.')] });
    expect([code, stderr]).toEqual([2, expect.stringContaining('tools.disallowed')]);
  });

  test('is refused when a flag says it', async () => {
    const { code, stderr } = await new CliWorld().call({ args: ['run', '-m', 'opus', say('Hi.')] });
    expect(code).toBe(2);
    expect(stderr).toContain('capability_missing');
  });
});

test.concurrent('a program that is not the agent is shown with its first line', async () => {
  const { stderr } = await new CliWorld().call({
    args: ['run', '-b', 'claude', 'Hello'],
    env: { BATON_CLAUDE_BIN: '/bin/echo' },
  });
  expect(stderr).toMatch(/^error \(output_unreadable\): .* -p .*\nhint: /);
});

describe.concurrent('options', () => {
  test('reach the agent', async () => {
    const world = new CliWorld();
    const args = ['run', '-C', '..', '-p', 'allow-all', '--env', 'GREETING=a=b'];
    const steps = script({ shell: 'echo "$GREETING" > greeting.txt' });
    expect((await world.call({ args: [...args, steps] })).code).toBe(0);
    expect(readFileSync(join(world.home, 'greeting.txt'), 'utf8')).toBe('a=b\n');
  });

  test('of a session: it continues, and a fork gets a new id', async () => {
    const world = new CliWorld();
    const session = async (...more: string[]) => {
      const { events } = await world.events({ args: ['run', ...more, say('Hi.')] });
      return (events.at(-1) as unknown as RunResult).nativeSessionId ?? '';
    };
    const first = await session('--session-id', 'my-own');
    expect(first).toBe('my-own');
    expect(await session('--resume', first)).toBe(first);
    expect(await session('--resume', first, '--fork')).not.toBe(first);
  });
});
