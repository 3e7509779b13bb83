import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { LineSplitter } from '@baton/process';
import { type AgentEvent, eventSchema } from '@baton/protocol';
import { describe, expect, test } from 'vitest';
import { CliWorld } from '../testing/baton.ts';

const DEMO = join(import.meta.dirname, '../../../agents/src/backends/demo/demo-agent.ts');

/** Records what the demo agent prints when it is asked something. */
async function record(world: CliWorld, prompt: string): Promise<string> {
  const commands = [
    { type: 'open', permissionMode: 'allow-all', pace: 0 },
    { type: 'prompt', text: prompt },
  ];
  const child = world.spawn(process.execPath, [DEMO]);
  child.stdin.end(commands.map((command) => `${JSON.stringify(command)}\n`).join(''));
  return (await world.finish(child)).stdout;
}

async function events(world: CliWorld, ...args: string[]): Promise<AgentEvent[]> {
  const { code, stdout, stderr } = await world.call({ args: ['normalize', '--json', ...args] });
  expect([code, stderr]).toEqual([0, '']);
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => eventSchema.parse(JSON.parse(line)));
}

test('a recording of a format without an end asks for the exit code', async () => {
  const fixture = join(import.meta.dirname, '../../../agents/fixtures/opencode/success/stdout');
  const world = new CliWorld();
  const open = (await events(world, '-b', 'opencode', fixture)).at(-1);
  expect(open).toMatchObject({
    error: { code: 'interrupted', hint: expect.stringContaining('--exit 0') },
  });
  const text = await world.call({ args: ['normalize', '-b', 'opencode', fixture] });
  expect(text.stderr).toContain('--exit 0');
  const ended = (await events(world, '-b', 'opencode', '--exit', '0', fixture)).at(-1);
  expect(ended).toMatchObject({ outcome: 'done' });
});

describe.concurrent('a recording of the demo agent', () => {
  test('becomes the same events as those of the live agent', async () => {
    const world = new CliWorld();
    const prompt = 'demo:script [{"think":"Hm."},{"read":"."},{"say":"Done."}]';
    writeFileSync(join(world.cwd, 'r.jsonl'), await record(world, prompt));
    const recorded = await events(world, '-b', 'demo', '--exit', '0', 'r.jsonl');
    const live = await world.events({ args: ['run', prompt] });
    expect(recorded.map(({ type }) => type)).toEqual(live.events.map(({ type }) => type));
    expect(recorded.at(-1)).toMatchObject({ outcome: 'done', output: 'Done.', exitCode: 0 });
  });

  test('is read from standard input too', async () => {
    const world = new CliWorld();
    const input = await record(world, 'demo:garbage');
    for (const args of [[], ['-']]) {
      const { code, stdout } = await world.call({
        args: ['normalize', '-b', 'demo', ...args],
        input,
      });
      expect(code).toBe(0);
      expect(stdout).toContain(
        'That was garbage.\n?? 1 line of unrecognized output; --json has them\n= done · 3 tokens\n',
      );
    }
  });

  test('that breaks off is a run that failed, with what had been said', async () => {
    const world = new CliWorld();
    const whole = await record(world, 'demo:script [{"say":"One two three."}]');
    writeFileSync(join(world.cwd, 'r.jsonl'), whole.slice(0, whole.indexOf('three') + 3));
    const cut = await events(world, '-b', 'demo', 'r.jsonl');
    expect(cut.at(-1)).toMatchObject({
      type: 'run.completed',
      outcome: 'failed',
      output: 'One two ',
      error: { code: 'interrupted' },
    });
    expect(cut.filter(({ type }) => type === 'unparsed')).toHaveLength(1);
  });

  test('of a crash uses the given exit code and stderr', async () => {
    const world = new CliWorld();
    writeFileSync(join(world.cwd, 'r.jsonl'), await record(world, 'demo:crash'));
    writeFileSync(join(world.cwd, 'stderr.txt'), 'Ouch.\n');
    const crash = await events(
      world,
      '-b',
      'demo',
      '--exit',
      '70',
      '--stderr',
      'stderr.txt',
      'r.jsonl',
    );
    expect(crash.at(-1)).toMatchObject({
      outcome: 'failed',
      exitCode: 70,
      error: { code: 'agent_crashed', message: 'Ouch.' },
    });
  });

  test.each(['SIGKILL', 'kill', 'sigkill'])(
    'of an agent that was killed: --exit %s',
    async (signal) => {
      const last = (await events(new CliWorld(), '-b', 'demo', '--exit', signal, '/dev/null')).at(
        -1,
      );
      expect(last).toMatchObject({ signal: 'SIGKILL', error: { code: 'agent_crashed' } });
    },
  );

  test('is read as the transport that is named', async () => {
    const world = new CliWorld();
    writeFileSync(join(world.cwd, 'r.jsonl'), '{"type":"notice"}\n');
    const text = await events(
      world,
      '-b',
      'demo',
      '--transport',
      'plain',
      '--exit',
      '0',
      'r.jsonl',
    );
    expect(text.at(-1)).toMatchObject({ outcome: 'done', output: '{"type":"notice"}' });
  });

  test('keeps the beginning of a line that is too long, in its place', async () => {
    const world = new CliWorld();
    const bytes = 64 * 1024 * 1024 + 1;
    const said = (text: string) =>
      JSON.stringify({ type: 'notice', level: 'info', code: 'text', message: text });
    const input = `${said('before')}\n${'x'.repeat(bytes)}\n${said('after')}\n`;
    const { stdout } = await world.call({ args: ['normalize', '-b', 'demo', '--json'], input });
    const read = stdout.trimEnd().split('\n');
    expect(read.slice(1, 4).map((line) => JSON.parse(line))).toMatchObject([
      { type: 'notice', message: 'before' },
      { type: 'unparsed', line: 'x'.repeat(64 * 1024), cutBytes: bytes - 64 * 1024 },
      { type: 'notice', message: 'after' },
    ]);
  });

  test('cannot command a terminal', async () => {
    const world = new CliWorld();
    const input = [
      { type: 'run.identified', nativeSessionId: 's\u001b[2J' },
      { type: 'message.started', messageId: 'm', kind: 'text' },
      { type: 'message.delta', messageId: 'm', text: 'a\u001b[31mb\u0007' },
      { type: 'tool.started', callId: 'c', name: 'n\u001b[1m', action: { type: 'other' } },
      { type: 'notice', level: 'info', code: 'x', message: '\u009b31m' },
    ]
      .map((line) => JSON.stringify(line))
      .join('\n');
    const { stdout } = await world.call({ args: ['normalize', '-b', 'demo'], input });
    expect(stdout).toContain('ab');
    expect([...stdout].filter((each) => each < ' ' && each !== '\n')).toEqual([]);
    expect(stdout).not.toContain('\u009b');
  });
});

describe.concurrent('a mistake in the call', () => {
  test.each<[string, string[], RegExp]>([
    ['no backend', ['x'], /--backend/],
    ['an unknown backend', ['-b', 'nobody', 'x'], /Unknown backend/],
    ['a recording that is not there', ['-b', 'demo', 'nowhere'], /Cannot read nowhere/],
    ['a folder in its place', ['-b', 'demo', '.'], /Cannot read.*directory/],
    ['two recordings', ['-b', 'demo', 'a', 'b'], /at most one FILE/],
    ['an unknown transport', ['-b', 'demo', '--transport', 'x', '/dev/null'], /live, plain/],
    [
      'a standard error that is not there',
      ['-b', 'demo', '--stderr', 'no', '/dev/null'],
      /Cannot read no:/,
    ],
    ['an exit that is none', ['-b', 'demo', '--exit', 'banana', '/dev/null'], /SIGTERM or KILL/],
    ['an exit code that does not exist', ['-b', 'demo', '--exit', '999', '/dev/null'], /exit code/],
  ])('%s', async (_name, args, words) => {
    const { code, stderr } = await new CliWorld().call({ args: ['normalize', ...args] });
    expect(code).toBe(2);
    expect(stderr).toMatch(words);
    expect(stderr).toMatch(/\nhint: /);
  });
});

test.concurrent('a recording of Claude is read too', async () => {
  const folder = join(import.meta.dirname, '../../../agents/fixtures/claude/02-json-success');
  const read = await events(new CliWorld(), '-b', 'claude', '--exit', '0', join(folder, 'stdout'));
  const { result } = [JSON.parse(readFileSync(join(folder, 'stdout'), 'utf8'))].flat().at(-1);
  expect(read.at(-1)).toMatchObject({ outcome: 'done', output: result });
});

test('a slow reader applies backpressure to a long recording', async () => {
  const world = new CliWorld();
  const spoken = { type: 'message.delta', messageId: 'm', text: 'word '.repeat(20) };
  const line = `${JSON.stringify(spoken)}\n`;
  writeFileSync(join(world.cwd, 'r.jsonl'), line.repeat(300_000));
  const child = world.start({ args: ['normalize', '-b', 'demo', '--json', 'r.jsonl'] });
  await once(child.stdout, 'readable');
  await world.untilIdle();
  expect(world.memory(child.pid)).toBeLessThan(150);
  let deltas = 0;
  const splitter = new LineSplitter((event) => {
    if (event.includes('message.delta')) deltas += 1;
  });
  child.stdout.on('data', (chunk: Buffer) => splitter.push(chunk));
  expect(await once(child, 'close')).toEqual([0, null]);
  expect(deltas).toBe(300_000);
  // A busy machine takes its time for so many lines.
}, 120_000);

describe.concurrent('a CI log', () => {
  const MESSAGES = [
    { type: 'system', subtype: 'init', session_id: 's' },
    { type: 'result', subtype: 'success', is_error: false, result: 'Hi.', session_id: 's' },
  ].map((message) => JSON.stringify(message));

  test.each([
    ['GitHub', '2026-11-16T10:00:00.0000000Z '],
    ['gh run view --log', 'build\tRun the agent\t2026-11-16T10:00:00.0000000Z '],
    ['GitLab', '2026-11-16T10:00:00.000000Z 01O '],
    ['Jenkins', '10:00:00  '],
    ['a Jenkins pipeline', '[2026-11-16T10:00:00.000Z] '],
    ['a time in brackets', '[10:00:00] '],
  ])('is read without the timestamps of its lines: %s', async (_, stamp) => {
    const lines = ['##[group]Run the agent', ...MESSAGES, 'Done'];
    const input = `\ufeff${lines.map((line) => `${stamp}${line}\n`).join('')}`;
    const { stdout, stderr } = await new CliWorld().call({
      args: ['normalize', '-b', 'claude', '--json'],
      input,
    });
    const read: AgentEvent[] = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(read.at(-1)).toMatchObject({ outcome: 'done', output: 'Hi.' });
    const notices = read.flatMap((event) => (event.type === 'notice' ? [event.message] : []));
    expect([notices, stderr]).toEqual([['##[group]Run the agent', 'Done'], '']);
  });

  test('keeps the timestamps of other formats', async () => {
    const { stdout } = await new CliWorld().call({
      args: ['normalize', '-b', 'claude', '--exit', '0'],
      input: '[10:00:00] Hello.\n',
    });
    expect(stdout).toContain('[10:00:00] Hello.\n');
  });
});

describe.concurrent('unrecognized output', () => {
  test('is read as plain text, with a warning', async () => {
    const { code, stdout, stderr } = await new CliWorld().call({
      args: ['normalize', '-b', 'claude', '--exit', '0'],
      input: 'Hello.\n',
    });
    expect([code, stdout]).toEqual([0, '# claude-cli (plain)\nHello.\n= done\n']);
    expect(stderr).toMatch(/^warning: .*as plain text.*--transport: .*print/);
  });

  test('may be many lines of others before the output of the agent', async () => {
    const noise = Array.from({ length: 200 }, (_, n) => `##[group]step ${n}`).join('\n');
    const messages = [
      { type: 'system', subtype: 'init', session_id: 's' },
      { type: 'result', subtype: 'success', is_error: false, result: 'Hi.', session_id: 's' },
    ];
    const { stdout, stderr } = await new CliWorld().call({
      args: ['normalize', '-b', 'claude', '--json'],
      input: `${noise}\n${JSON.stringify(messages)}\n`,
    });
    expect(JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '')).toMatchObject({
      outcome: 'done',
      output: 'Hi.',
    });
    expect(stderr).toBe('');
  });
});
