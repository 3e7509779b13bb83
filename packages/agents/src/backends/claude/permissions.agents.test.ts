import { existsSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { PendingRequest } from '@baton/engine/definition/backend';
import type { AgentEvent } from '@baton/protocol';
import { describe, expect, test } from 'vitest';
import { all } from '../../../../agent-tools/src/conformance/stage/stage.ts';
import {
  allow,
  call,
  configure,
  deny,
  Playground,
  pinnedClaude,
  read,
  shell,
  write,
} from './testing/playground.ts';

const ground = new Playground();

describe.concurrent('ask', () => {
  test('asks for everything that writes or executes, whatever settings and hooks of the user allow', async () => {
    const place = await ground.place();
    await writeFile(join(place.cwd, 'here.txt'), 'readable\n');
    const decision = { hookEventName: 'PreToolUse', permissionDecision: 'allow' };
    const output = JSON.stringify({ hookSpecificOutput: decision });
    const hook = { type: 'command', command: `echo ran >> hook.txt; echo '${output}'` };
    await configure(place, 'settings.json', {
      permissions: { allow: ['Bash', 'Write', 'Edit'], defaultMode: 'acceptEdits' },
      hooks: { PreToolUse: [{ matcher: 'Bash', hooks: [hook] }] },
    });
    const prompt = ground.prompt([
      shell('echo hi'),
      write('a.txt'),
      read('here.txt'),
      { text: 'Tried.' },
    ]);
    const { events } = await ground.play(place, { prompt, onRequest: deny });
    expect(all(events, 'permission.requested').map(({ tool }) => tool)).toEqual(['Bash', 'Write']);
    expect(outcomes(events)).toEqual(['denied', 'denied', 'ok']);
    expect(existsSync(join(place.cwd, 'a.txt'))).toBe(false);
    expect(readFileSync(join(place.cwd, 'hook.txt'), 'utf8')).toBe('ran\n');
  });

  test.each(['live', 'print', 'plain'] as const)(
    'a prompt puts no file outside of the workspace before the model unasked: %s',
    async (transport) => {
      const place = await ground.place();
      const outside = join(place.home, 'outside.txt');
      await writeFile(outside, `outside of ${place.cwd}`);
      await writeFile(join(place.cwd, 'here.txt'), `inside of ${place.cwd}`);
      const files = `@${outside} @~/outside.txt "@../home/outside.txt" @"${outside}" @here.txt`;
      const prompt = `${ground.prompt([{ text: 'Seen.' }])} Compare ${files}`;
      const { events } = await ground.play(place, { prompt, transport });
      const seen = ground.asked.join('\n');
      expect(seen).toContain(`inside of ${place.cwd}`);
      expect(seen).not.toContain(`outside of ${place.cwd}`);
      expect(all(events, 'run.completed')).toMatchObject([{ outcome: 'done' }]);
    },
  );

  test.each([
    { mode: 'bypassPermissions' },
    { mode: 'acceptEdits', name: 'helper' },
    { mode: 'dontAsk' },
  ])('the tools of a sub-agent ask, although the model starts it with %j', async (more) => {
    const place = await ground.place();
    const part = ground.prompt([shell('touch b.txt'), write('c.txt'), { text: 'Tried.' }]);
    const input = { description: 'Do a part', prompt: part, subagent_type: 'general-purpose' };
    const prompt = ground.prompt([call('Agent', { ...input, ...more }), { text: 'Done.' }]);
    const { events } = await ground.play(place, { prompt, onRequest: deny });
    expect(asked(events)).toEqual(['touch b.txt', 'c.txt']);
    expect(existsSync(join(place.cwd, 'b.txt'))).toBe(false);
    expect(existsSync(join(place.cwd, 'c.txt'))).toBe(false);
  });

  test('reading outside the workspace asks', async () => {
    const { events } = await ground.run([read('/etc/hostname'), { text: 'Read.' }], {
      onRequest: deny,
    });
    const [request] = all(events, 'permission.requested');
    expect(request?.action).toEqual({ type: 'file.read', path: '/etc/hostname' });
    expect(outcomes(events)).toEqual(['denied']);
  });

  test("a tool that the user's own rules deny is denied without a question", async () => {
    const place = await ground.place();
    await configure(place, 'settings.json', { permissions: { deny: ['Bash(rm:*)'] } });
    const prompt = ground.prompt([shell('rm -rf nothing'), { text: 'Well.' }]);
    const { events } = await ground.play(place, { prompt, onRequest: allow });
    expect(asked(events)).toEqual([]);
    expect(outcomes(events)).toEqual(['denied']);
  });

  test('tools that the caller allowed are not asked for', async () => {
    const { events } = await ground.run([shell('touch made.txt'), { text: 'Made.' }], {
      tools: { allowed: ['Bash'] },
      onRequest: deny,
    });
    expect(outcomes(events)).toEqual(['ok']);
  });

  test('a plan needs approval, and the file that Claude writes it to does not', async () => {
    const plan = '# The plan\n\n1. Look\n2. Leap\n';
    const requests: PendingRequest[] = [];
    const onRequest = (pending: PendingRequest) => {
      requests.push(pending);
      return { decision: 'allow' } as const;
    };
    await ground.converse(
      { providerOptions: { plan: true }, onRequest },
      async (conversation, cwd) => {
        await ground.turn(conversation, [{ text: 'Let us plan.' }]);
        const asked = ground.asked.findLast((body) => body.includes(join(dirname(cwd), 'home')));
        const path = /[^"\s]+\/plans\/[\w-]+\.md/.exec(asked ?? '')?.[0] ?? '';
        const { events, result } = await ground.turn(conversation, [
          { tools: [{ write: { path, content: plan } }] },
          call('ExitPlanMode', {}),
          { text: 'Off we go.' },
        ]);
        expect(requests.map(({ request }) => request)).toMatchObject([
          { tool: 'ExitPlanMode', action: { type: 'plan', text: plan }, scopes: ['once'] },
        ]);
        expect(outcomes(events)).toEqual(['ok', 'ok']);
        expect(result.output).toBe('Off we go.');
      },
    );
  });
});

describe.concurrent('answers', () => {
  test('an edited input is what runs', async () => {
    const place = await ground.place();
    const prompt = ground.prompt([write('theirs.txt'), { text: 'Done.' }]);
    const input = { file_path: join(place.cwd, 'ours.txt'), content: 'ours\n' };
    const { events } = await ground.play(place, {
      prompt,
      onRequest: () => ({ decision: 'allow', input }),
    });
    expect(existsSync(join(place.cwd, 'theirs.txt'))).toBe(false);
    expect(readFileSync(join(place.cwd, 'ours.txt'), 'utf8')).toBe('ours\n');
    const changes = [{ path: input.file_path, kind: 'add', diff: 'ours\n' }];
    for (const type of ['permission.resolved', 'tool.updated', 'tool.completed'] as const) {
      expect(all(events, type)[0]).toMatchObject({ input, action: { type: 'file.edit', changes } });
    }
  });

  test('an edited command is what is recorded', async () => {
    const { events } = await ground.run([shell('touch orig.txt'), { text: 'Done.' }], {
      onRequest: () => ({ decision: 'allow', input: { command: 'echo CHANGED' } }),
    });
    expect(all(events, 'tool.completed')[0]).toMatchObject({
      action: { type: 'command', command: 'echo CHANGED', exitCode: 0 },
      output: 'CHANGED',
    });
  });

  test('a denial that ends the turn fails the run for want of permission', async () => {
    const { events, result } = await ground.run([write('a.txt'), { text: 'Never said.' }], {
      onRequest: () => ({ decision: 'deny', reason: 'Stop.', stop: true }),
    });
    expect(result).toMatchObject({ outcome: 'failed', error: { code: 'permission_denied' } });
    expect(outcomes(events)).toEqual(['denied']);
  });

  test('for the session: apply to the same command and to edits, and to nothing else', async () => {
    const steps = [
      shell('touch one.txt'),
      shell('touch one.txt'),
      shell('touch one.txt; touch two.txt'),
      write('a.txt'),
      write('b.txt'),
      write('../outside.txt'),
      { text: 'Done.' },
    ];
    const { events } = await ground.run(steps, {
      onRequest: () => ({ decision: 'allow', scope: 'session' }),
    });
    expect(asked(events)).toEqual([
      'touch one.txt',
      'touch one.txt; touch two.txt',
      'a.txt',
      'outside.txt',
    ]);
  });

  test.for([
    ['trusted', true, ['once', 'session', 'always'], []],
    ['not trusted', false, ['once', 'session'], ['touch one.txt']],
  ] as const)('for longer: in a workspace that is %s', async ([_, trusted, scopes, askedAgain]) => {
    const place = await ground.place();
    const projects = { [place.cwd]: { hasTrustDialogAccepted: trusted } };
    await configure(place, '.claude.json', { projects });
    const steps = [shell('touch one.txt'), shell('touch one.txt'), { text: 'Done.' }];
    const first = await ground.play(place, {
      prompt: ground.prompt(steps),
      onRequest: () => ({ decision: 'allow', scope: scopes.at(-1) ?? 'once' }),
    });
    expect(asked(first.events)).toEqual(['touch one.txt']);
    const [request] = all(first.events, 'permission.requested');
    expect(request?.scopes).toEqual(scopes);
    const again = ground.prompt([
      shell('touch one.txt'),
      shell('touch two.txt'),
      { text: 'Done.' },
    ]);
    const second = await ground.play(place, { prompt: again, onRequest: deny });
    expect(asked(second.events)).toEqual([...askedAgain, 'touch two.txt']);
  });
});

test('allow-all as root is refused before anything starts, with a hint', async (context) => {
  if (process.getuid?.() !== 0) context.skip('only root is refused');
  const { cwd, env } = await ground.place();
  const start = () => pinnedClaude.run({ cwd, env, prompt: 'Hello.', permissionMode: 'allow-all' });
  const hint = expect.stringContaining('IS_SANDBOX');
  expect(start).toThrow(expect.objectContaining({ code: 'root_refused', hint }));
});

function outcomes(events: readonly AgentEvent[]): string[] {
  return all(events, 'tool.completed').map(({ outcome }) => outcome);
}

/** Returns the subjects of the permission requests: commands, or the names of files. */
function asked(events: readonly AgentEvent[]): string[] {
  return all(events, 'permission.requested').map(({ action }) => {
    if (action.type === 'command') return action.command;
    if (action.type === 'file.edit') return action.changes[0]?.path.split('/').at(-1) ?? '';
    return action.type;
  });
}
