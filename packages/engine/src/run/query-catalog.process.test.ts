import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { claudeCatalog } from '../../../agents/src/backends/claude/models-and-commands.ts';
import { codexCatalog } from '../../../agents/src/backends/codex/app-server-client.ts';
import type { CatalogQuery } from '../definition/backend-entry.ts';
import { queryCatalog } from './query-catalog.ts';

const NOTHING = { models: [], commands: [] };
const FIXTURES = join(import.meta.dirname, '../../../agents/fixtures');

/** Returns the answer to the query in the lines of a recording. */
function answered(question: CatalogQuery, recording: string) {
  const lines = readFileSync(join(FIXTURES, recording, 'stdout'), 'utf8').split('\n');
  return lines.map((line) => question.read(line)).find((catalog) => catalog !== undefined);
}

describe('what agents say of themselves', () => {
  test('is understood from Claude Code', () => {
    const { models, commands } = answered(claudeCatalog, 'claude/99-ctl-hooks-pretooluse') ?? {};
    expect(models?.[0]).toMatchObject({ id: 'default', label: 'Default (recommended)' });
    expect(models?.length).toBeGreaterThan(2);
    expect(commands?.[0]).toMatchObject({
      name: 'deep-research',
      description: expect.stringContaining('Deep research'),
    });
  });

  test('is parsed from Codex, without hidden entries', () => {
    const { models, commands } =
      answered(codexCatalog, 'codex/105-appserver-model-list-config') ?? {};
    expect(commands).toEqual([]);
    expect(models?.[0]).toMatchObject({ id: 'gpt-6.1-sol', label: 'GPT-6.1-Sol' });
    const line = JSON.stringify({ id: 'm', result: { data: [{ model: 'a', hidden: true }] } });
    expect(codexCatalog.read(line)).toEqual(NOTHING);
  });

  test('is nothing when they refuse to say', () => {
    const refusal = { subtype: 'error', request_id: 'm', error: 'no' };
    expect(
      claudeCatalog.read(JSON.stringify({ type: 'control_response', response: refusal })),
    ).toEqual(NOTHING);
    expect(codexCatalog.read('{"id":"m","error":{"code":1,"message":"no"}}')).toEqual(NOTHING);
  });

  test.each([claudeCatalog, codexCatalog])('is not anything else', ({ read }) => {
    for (const line of ['', 'no JSON', '{}', '[]', '{"id":1,"result":{"userAgent":"x"}}']) {
      expect(read(line)).toBeUndefined();
    }
  });
});

/** An agent that does as a script says. */
function ask(script: string, answerMs?: number) {
  const question: CatalogQuery = {
    args: ['-e', script],
    frames: ['which?'],
    read: (line) =>
      line.startsWith('model ')
        ? { models: [{ id: line.slice(6), label: line }], commands: [] }
        : undefined,
  };
  const env = process.env;
  return queryCatalog(question, {
    file: process.execPath,
    env,
    ...(answerMs ? { answerMs } : {}),
  });
}

describe('an agent that is queried for its catalog', () => {
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
