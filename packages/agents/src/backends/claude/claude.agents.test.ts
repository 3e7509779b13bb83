import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { agentVersion } from '../../../../../testbed/agents.ts';
import { all } from '../../../../agent-tools/src/conformance/stage/stage.ts';
import {
  allow,
  call,
  configure,
  delegate,
  deny,
  ECHO,
  Playground,
  say,
  shell,
  write,
} from './testing/playground.ts';

const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

const ground = new Playground();

describe.concurrent('events', () => {
  test('a run reports version, model, session, usage, cost and context', async () => {
    const { events, result } = await ground.run([{ text: 'Hello there.' }]);
    expect(all(events, 'run.started')[0]).toMatchObject({
      transport: 'live',
      version: agentVersion('claude'),
    });
    expect(all(events, 'run.identified').at(-1)).toMatchObject({
      version: agentVersion('claude'),
      nativeSessionId: result.nativeSessionId,
      model: expect.stringContaining('claude-'),
    });
    expect(result.usage).toMatchObject({ inputTokens: 1200, outputTokens: 3, contextTokens: 1200 });
    expect(result.usage?.costUsd).toBeGreaterThan(0);
    expect(result.usage?.contextWindow).toBeGreaterThan(0);
    expect(all(events, 'usage.updated').at(-1)?.usage).toMatchObject({ inputTokens: 1200 });
    expect(all(events, 'unparsed')).toEqual([]);
  });

  test('edits have their diff, commands their exit code, tasks make a plan', async () => {
    const place = await ground.place();
    const { events } = await ground.play(place, {
      prompt: ground.prompt([
        { tools: [{ write: { path: 'a.txt', content: 'one\ntwo\n' } }] },
        { tools: [{ edit: { path: 'a.txt', old: 'two', new: 'three' } }] },
        shell('echo out; echo err >&2; exit 3'),
        call('TaskCreate', { subject: 'First', description: 'the first' }),
        call('TaskUpdate', { taskId: '1', status: 'in_progress' }),
        { text: 'Done.' },
      ]),
      onRequest: allow,
      // Newer releases offer these tools only to some models.
      env: { ...place.env, CLAUDE_CODE_ENABLE_TODO_TOOLS: '1' },
    });
    const [added, edited, failed] = all(events, 'tool.completed');
    expect(added?.action).toMatchObject({ changes: [{ kind: 'add', diff: 'one\ntwo\n' }] });
    expect(edited?.action).toMatchObject({
      changes: [{ kind: 'edit', diff: '@@ -1,2 +1,2 @@\n one\n-two\n+three\n' }],
    });
    expect(failed).toMatchObject({ outcome: 'error', action: { type: 'command', exitCode: 3 } });
    expect(failed?.output).toContain('out\nerr');
    const plan = all(events, 'plan.updated').at(-1);
    expect(plan?.entries).toEqual([{ text: 'First', status: 'in_progress' }]);
  });

  test('the events of a sub-agent have its call as parent, and its tools ask', async () => {
    const place = await ground.place();
    const prompt = ground.prompt([{ text: 'I write.', ...write('s.txt') }, { text: 'Written.' }]);
    const steps = [delegate(prompt), { text: 'All done.' }];
    const { events, result } = await ground.play(place, {
      prompt: ground.prompt(steps),
      onRequest: deny,
    });
    const started = all(events, 'tool.started').find(({ action }) => action.type === 'subagent');
    const own = events.filter((event) => event.parentId === started?.callId);
    expect(all(own, 'message.completed').map(({ text }) => text)).toEqual(['I write.', 'Written.']);
    expect(all(own, 'tool.completed')).toEqual([expect.objectContaining({ outcome: 'denied' })]);
    expect(all(own, 'permission.requested')).toHaveLength(1);
    expect(result).toMatchObject({ outcome: 'done', output: 'All done.' });
  });

  test('everything that Claude prints is understood', async () => {
    const background = { command: 'sleep 0.2', run_in_background: true, description: 'a task' };
    const { events, result } = await ground.run(
      [
        { thinking: 'A lot to do.', text: 'Beginning.', ...write('a.txt') },
        {
          tools: [
            { subagent: { prompt: ground.prompt([shell('touch b.txt'), { text: 'Done.' }]) } },
          ],
        },
        { tools: [{ question: { question: 'Which?', options: ['A', 'B'] } }] },
        call('Bash', background),
        { tools: [{ shell: 'sleep 0.3' }, { shell: 'exit 3' }, { read: 'nowhere.txt' }] },
        { text: 'Done.' },
      ],
      {
        onRequest: ({ kind }) =>
          kind === 'question' ? { answers: { 1: ['A'] } } : { decision: 'allow' },
      },
    );
    expect(result.outcome).toBe('done');
    expect(all(events, 'unparsed')).toEqual([]);
  });

  test('an answer of 1 MB is whole', async () => {
    const text = 'All work and no play. '.repeat(47_663);
    const { result } = await ground.run([{ text }]);
    expect(result.output.length).toBe(text.length);
    expect(result.outcome).toBe('done');
  });

  test('an image is sent', async () => {
    const place = await ground.place();
    await writeFile(join(place.cwd, 'dot.png'), Buffer.from(PIXEL, 'base64'));
    const prompt = ground.prompt([{ text: 'A dot.' }]);
    await ground.play(place, { prompt, images: [{ path: 'dot.png' }] });
    expect(ground.asked.some((body) => body.includes(PIXEL) && body.includes(prompt))).toBe(true);
  });

  test('an answer that matches a schema is returned as a value', async () => {
    const outputSchema = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] };
    const { result } = await ground.run([call('StructuredOutput', { n: 7 })], { outputSchema });
    expect(result).toMatchObject({ outcome: 'done', structured: { n: 7 } });
  });
});

describe.concurrent('MCP servers', () => {
  test("a server of this run works next to the user's own, and its secrets stay private", async () => {
    const place = await ground.place();
    await configure(place, '.claude.json', { mcpServers: { own: ECHO } });
    const prompt = ground.prompt([say('hi'), { text: 'Said.' }]);
    let command = '';
    const { events } = await ground.play(place, {
      prompt,
      mcpConfig: { mcpServers: { echo: { ...ECHO, env: { TOKEN: 'top-secret' } } } },
      onRequest: allow,
      onLaunch: ({ args }) => {
        command = args.join(' ');
      },
    });
    expect(all(events, 'tool.completed')[0]).toMatchObject({ outcome: 'ok', output: 'echo: hi' });
    expect(all(events, 'permission.requested')[0]?.action).toMatchObject({
      type: 'mcp',
      server: 'echo',
    });
    expect(ground.asked.find((body) => body.includes(prompt))).toContain('mcp__own__say');
    expect(command).not.toContain('top-secret');
    expect(existsSync(/--mcp-config (\S+)/.exec(command)?.[1] ?? '')).toBe(false);
  });

  test('reports a server that does not start', async () => {
    const mcpConfig = { mcpServers: { broken: { command: '/does/not/exist' } } };
    const { events, result } = await ground.run([{ text: 'Hello.' }], { mcpConfig });
    expect(all(events, 'notice')).toContainEqual(expect.objectContaining({ code: 'mcp_server' }));
    expect(result.outcome).toBe('done');
  });
});

describe.concurrent('failures', () => {
  test.for([
    ['forbidden', 'access_denied'],
    ['not_found_model', 'model_not_found'],
    ['html502', 'provider_error'],
    ['refusal', 'refused'],
    ['max_tokens', 'output_limit'],
  ] as const)('%s is %s', async ([fault, code]) => {
    const { result } = await ground.run([{ fault }]);
    expect(result).toMatchObject({ outcome: 'failed', error: { code } });
  });

  test('a truncated answer is a provider error, and its text is kept', async () => {
    const { events, result } = await ground.run([{ drop: 'mid-stream' }]);
    expect(result).toMatchObject({ outcome: 'failed', error: { code: 'provider_error' } });
    expect(all(events, 'message.completed')[0]).toMatchObject({ incomplete: true });
  });

  test.for([
    [
      'a provider that cannot be reached',
      { ANTHROPIC_BASE_URL: 'http://127.0.0.1:9' },
      'network_unreachable',
    ],
    ['a key that is missing', { ANTHROPIC_API_KEY: '' }, 'auth_missing'],
  ] as const)('%s is told apart', async ([_name, env, code]) => {
    const place = await ground.place();
    const { result } = await ground.play(place, {
      prompt: 'Hello.',
      env: { ...place.env, ...env },
    });
    expect(result).toMatchObject({ outcome: 'failed', error: { code } });
  });

  test('turns and budget have their limits', async () => {
    const steps = [shell('echo 1'), shell('echo 2'), shell('echo 3'), { text: 'Done.' }];
    const turns = await ground.run(steps, { maxTurns: 2, onRequest: allow });
    expect(turns.result.error?.code).toBe('max_turns');
    const budget = await ground.run(steps, { budgetUsd: 0.0001, onRequest: allow });
    expect(budget.result.error?.code).toBe('budget_exceeded');
  });

  test('reports a retry', async () => {
    const steps = [{ status: 500, times: 1 }, { text: 'Recovered.' }];
    const { events, result } = await ground.run(steps, { retries: 1 });
    expect(result.output).toBe('Recovered.');
    const retry = all(events, 'notice').find(({ code }) => code === 'retry');
    expect(retry?.data).toMatchObject({ attempt: 1, status: 500 });
  });
});
