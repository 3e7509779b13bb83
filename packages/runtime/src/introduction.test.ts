import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { claudeIntroduction } from './backends/claude/introduction.ts';
import { codexIntroduction } from './backends/codex/introduction.ts';
import { askForIntroduction, type IntroductionQuestion } from './introduction.ts';

const NOTHING = { models: [], commands: [] };
const FIXTURES = join(import.meta.dirname, '../fixtures');

/** What the lines of a recording answer to the question. */
function answered(question: IntroductionQuestion, recording: string) {
  const lines = readFileSync(join(FIXTURES, recording, 'stdout.jsonl'), 'utf8').split('\n');
  return lines
    .map((line) => question.read(line))
    .find((introduction) => introduction !== undefined);
}

describe('what agents say of themselves', () => {
  test('is understood from Claude Code', () => {
    const { models, commands } =
      answered(claudeIntroduction, 'claude/99-ctl-hooks-pretooluse') ?? {};
    expect(models?.[0]).toMatchObject({ id: 'default', label: 'Default (recommended)' });
    expect(models?.length).toBeGreaterThan(2);
    expect(commands?.[0]).toMatchObject({
      name: 'deep-research',
      description: expect.stringContaining('Deep research'),
    });
  });

  test('is understood from Codex, without what is hidden', () => {
    const { models, commands } =
      answered(codexIntroduction, 'codex/105-appserver-model-list-config') ?? {};
    expect(commands).toEqual([]);
    expect(models?.[0]).toMatchObject({ id: 'gpt-6.1-sol', label: 'GPT-6.1-Sol' });
    const line = JSON.stringify({ id: 'm', result: { data: [{ model: 'a', hidden: true }] } });
    expect(codexIntroduction.read(line)).toEqual(NOTHING);
  });

  test('is nothing when they refuse to say', () => {
    const refusal = { subtype: 'error', request_id: 'm', error: 'no' };
    expect(
      claudeIntroduction.read(JSON.stringify({ type: 'control_response', response: refusal })),
    ).toEqual(NOTHING);
    expect(codexIntroduction.read('{"id":"m","error":{"code":1,"message":"no"}}')).toEqual(NOTHING);
  });

  test.each([claudeIntroduction, codexIntroduction])('is not anything else', ({ read }) => {
    for (const line of ['', 'no JSON', '{}', '[]', '{"id":1,"result":{"userAgent":"x"}}']) {
      expect(read(line)).toBeUndefined();
    }
  });
});

/** An agent that does as a script says. */
function ask(script: string, answerMs?: number) {
  const question: IntroductionQuestion = {
    args: ['-e', script],
    frames: ['which?'],
    read: (line) =>
      line.startsWith('model ')
        ? { models: [{ id: line.slice(6), label: line }], commands: [] }
        : undefined,
  };
  const env = process.env;
  return askForIntroduction(question, {
    file: process.execPath,
    env,
    ...(answerMs ? { answerMs } : {}),
  });
}

describe('an agent that is asked what it has', () => {
  test('is ended when it has answered', async () => {
    const script = `process.stdin.on('data', () => console.log('hm\\nmodel ' + process.pid));`;
    const [model] = (await ask(script)).models;
    expect(Number(model?.id)).toBeGreaterThan(0);
    expect(() => process.kill(Number(model?.id), 0)).toThrow('ESRCH');
  });

  test('has none when it ends without an answer', async () => {
    expect(await ask('process.exit(1)')).toEqual(NOTHING);
  });

  test('has none when it stays silent', async () => {
    expect(await ask('setInterval(() => {}, 1000)', 100)).toEqual(NOTHING);
  });
});
