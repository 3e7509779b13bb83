import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { earlierTotals } from './transcript-file.ts';

const SESSION = 'a98e2fc2-d8fd-49db-b11e-d81603b0613a';

function models(inputTokens: number, outputTokens: number, costUSD: number) {
  return { 'claude-opus-5-5': { inputTokens, outputTokens, costUSD, contextWindow: 1000 } };
}

describe('the totals a session had before', () => {
  const home = mkdtempSync(join(tmpdir(), 'claude-transcripts-'));
  const folder = join(home, 'projects', '-work');
  mkdirSync(folder, { recursive: true });
  afterAll(() => rmSync(home, { recursive: true }));
  const env = { CLAUDE_CONFIG_DIR: home };
  const state = (total: number) =>
    JSON.stringify({ type: 'cost-state', totalCostUSD: total, modelUsage: models(1, 1, total) });

  test('are the last ones in its transcript, however long the lines behind them', () => {
    const long = JSON.stringify({ type: 'user', text: '"cost-state"'.repeat(20_000) });
    writeFileSync(join(folder, `${SESSION}.jsonl`), [state(0.1), state(0.2), long, ''].join('\n'));
    expect(earlierTotals(SESSION, env)).toEqual({ costUsd: 0.2, models: models(1, 1, 0.2) });
  });

  test.each(['../projects/-work/x', 'a title', crypto.randomUUID()])('are unknown of %s', (id) => {
    expect(earlierTotals(id, env)).toBeUndefined();
  });

  test('are unknown where Claude stores none', () => {
    const id = crypto.randomUUID();
    writeFileSync(join(folder, `${id}.jsonl`), '{"type":"user"}\n');
    expect(earlierTotals(id, env)).toBeUndefined();
    expect(earlierTotals(id, { CLAUDE_CONFIG_DIR: join(home, 'nowhere') })).toBeUndefined();
  });
});
