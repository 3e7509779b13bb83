import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { askForModels, type ModelQuestion } from './ask-for-models.ts';
import { claudeModels } from './backends/claude/models.ts';
import { codexModels } from './backends/codex/models.ts';

const FIXTURES = join(import.meta.dirname, '../fixtures');

/** What the lines of a recording answer to the question. */
function answered(question: ModelQuestion, recording: string) {
  const lines = readFileSync(join(FIXTURES, recording, 'stdout.jsonl'), 'utf8').split('\n');
  return lines.map((line) => question.read(line)).find((models) => models !== undefined);
}

describe('what agents say of their models', () => {
  test('is understood from Claude Code', () => {
    const models = answered(claudeModels, 'claude/99-ctl-hooks-pretooluse');
    expect(models?.[0]).toMatchObject({ id: 'default', label: 'Default (recommended)' });
    expect(models?.length).toBeGreaterThan(2);
  });

  test('is understood from Codex, without what is hidden', () => {
    const models = answered(codexModels, 'codex/105-appserver-model-list-config');
    expect(models?.[0]).toMatchObject({ id: 'gpt-6.1-sol', label: 'GPT-6.1-Sol' });
    const line = JSON.stringify({ id: 'm', result: { data: [{ model: 'a', hidden: true }] } });
    expect(codexModels.read(line)).toEqual([]);
  });

  test('is nothing when they refuse to say', () => {
    const refusal = { subtype: 'error', request_id: 'm', error: 'no' };
    expect(
      claudeModels.read(JSON.stringify({ type: 'control_response', response: refusal })),
    ).toEqual([]);
    expect(codexModels.read('{"id":"m","error":{"code":1,"message":"no"}}')).toEqual([]);
  });

  test.each([claudeModels, codexModels])('is not anything else', ({ read }) => {
    for (const line of ['', 'no JSON', '{}', '[]', '{"id":1,"result":{"userAgent":"x"}}']) {
      expect(read(line)).toBeUndefined();
    }
  });
});

/** An agent that does as a script says. */
function ask(script: string, answerMs?: number) {
  const question: ModelQuestion = {
    args: ['-e', script],
    frames: ['which?'],
    read: (line) => (line.startsWith('model ') ? [{ id: line.slice(6), label: line }] : undefined),
  };
  const env = process.env;
  return askForModels(question, { file: process.execPath, env, ...(answerMs ? { answerMs } : {}) });
}

describe('an agent that is asked for its models', () => {
  test('is ended when it has answered', async () => {
    const script = `process.stdin.on('data', () => console.log('hm\\nmodel ' + process.pid));`;
    const [model] = await ask(script);
    expect(Number(model?.id)).toBeGreaterThan(0);
    expect(() => process.kill(Number(model?.id), 0)).toThrow('ESRCH');
  });

  test('has none when it ends without an answer', async () => {
    expect(await ask('process.exit(1)')).toEqual([]);
  });

  test('has none when it stays silent', async () => {
    expect(await ask('setInterval(() => {}, 1000)', 100)).toEqual([]);
  });
});
