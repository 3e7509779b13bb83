import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { defineBackend } from '@baton/engine/run/define-backend';
import { describe, expect, onTestFinished, test } from 'vitest';
import { finish } from '../../../../agent-tools/src/conformance/stage/stage.ts';
import { callsIn, standInCommand, standInWorld } from '../../testing/stand-in/stand-in.ts';
import { ampAdapter } from './backend.ts';
import { ampEntry } from './index.ts';

const amp = defineBackend({ ...ampEntry, ...ampAdapter })({ command: standInCommand('amp') });

async function world(env: Record<string, string> = { AMP_API_KEY: 'a-key' }) {
  const made = await standInWorld({ env, permissionMode: 'allow-all' });
  onTestFinished(made.dispose);
  const options = { ...made.options, cwd: made.cwd };
  const say = (words: string) => `[[${JSON.stringify([{ say: words }])}]]`;
  return { ...made, options, say };
}

describe('the command line', () => {
  test('has the prompt on standard input, and nothing secret', async () => {
    const { options, say, ...made } = await world();
    const { result } = await finish(amp.run({ ...options, prompt: say('Hello.') }));
    expect(result).toMatchObject({ outcome: 'done', output: 'Hello.' });
    const [{ args, stdin } = { args: [] }] = callsIn({ ...made, options });
    expect(args).toEqual(['--execute', '--stream-json', '--dangerously-allow-all']);
    expect(stdin).toBe(say('Hello.'));
  });

  test('continues a thread', async () => {
    const { options, say, ...made } = await world();
    const first = await finish(amp.run({ ...options, prompt: say('One.') }));
    const resume = first.result.nativeSessionId ?? '';
    expect(resume).toMatch(/^T-/);
    const second = await finish(amp.run({ ...options, prompt: say('Two.'), resume }));
    expect(second.result).toMatchObject({ output: 'Two.', nativeSessionId: resume });
    expect(callsIn({ ...made, options })[1]?.args.slice(0, 4)).toEqual([
      'threads',
      'continue',
      resume,
      '--execute',
    ]);
  });

  test('forks with two commands where the release can', async () => {
    const { options, say, ...made } = await world();
    const first = await finish(amp.run({ ...options, prompt: say('One.') }));
    const resume = first.result.nativeSessionId ?? '';
    const copy = await finish(amp.run({ ...options, prompt: say('Two.'), resume, fork: true }));
    expect(copy.result.outcome).toBe('done');
    expect(copy.result.nativeSessionId).not.toBe(resume);
    const calls = callsIn({ ...made, options }).map(({ args }) => args.slice(0, 3));
    expect(calls.slice(1)).toEqual([
      ['threads', 'fork', resume],
      ['threads', 'continue', copy.result.nativeSessionId],
    ]);
  });

  test('says that a current release cannot fork, and sends nothing', async () => {
    const { options, say, ...made } = await world({
      AMP_API_KEY: 'a-key',
      STAND_IN_RELEASE: 'current',
    });
    const { result } = await finish(
      amp.run({ ...options, prompt: say('Two.'), resume: 'T-1', fork: true }),
    );
    expect(result.error).toMatchObject({
      code: 'capability_missing',
      message: expect.stringContaining('has been deprecated'),
    });
    expect(callsIn({ ...made, options }).length).toBe(1);
  });
});

describe('a missing login', () => {
  test('fails at once with what to do', async () => {
    const { options, say } = await world({ AMP_API_KEY: '' });
    const { result } = await finish(amp.run({ ...options, prompt: say('Hi.') }));
    expect(result.error).toMatchObject({
      code: 'auth_missing',
      hint: expect.stringContaining('AMP_API_KEY'),
    });
    expect((await amp.probe({ env: options.env })).credentials).toBe('missing');
  });

  test('is seen in the output when the stored login is gone', async () => {
    const { options, say } = await world({ AMP_API_KEY: '' });
    const file = join(options.env?.HOME ?? '', '.local/share/amp/secrets.json');
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, JSON.stringify({ 'apiKey@https://ampcode.com/': 'old' }));
    expect((await amp.probe({ env: options.env })).credentials).toBe('found');
    const { result } = await finish(amp.run({ ...options, prompt: say('Hi.') }));
    expect(result.error).toMatchObject({
      code: 'auth_missing',
      hint: expect.stringContaining('amp login'),
    });
  });
});

test.each(['ask', 'auto'] as const)('refuses mode %s, which it cannot keep', async (mode) => {
  const { options, say } = await world();
  expect(() => amp.run({ ...options, prompt: say('Hi.'), permissionMode: mode })).toThrow(
    /does not support permission mode/,
  );
});
