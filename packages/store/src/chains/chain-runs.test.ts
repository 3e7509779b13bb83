import type { ChainDraft } from '@baton/protocol';
import { expect, test } from 'vitest';
import { onBothEngines } from '../testing/engines.ts';
import type { ChainOwner, NewChainRun } from './chain-runs.ts';

const RUN: NewChainRun = {
  run_id: 'run',
  chain: 'ship',
  file: '/project/chains.json',
  file_hash: 'hash',
  cwd: '/project',
  inputs: '{}',
  definition: '{}',
  created_by: null,
};
const STARTED: ChainDraft = { type: 'chain.started', chain: 'ship', inputs: {} };
const ME: ChainOwner = { ownerId: 'me', host: 'here', pid: 1 };

onBothEngines('chain runs', ({ open }) => {
  test('numbers events without gaps and reads them behind a number', async () => {
    const { chainRuns } = await open();
    await chainRuns.create(RUN, STARTED);
    await chainRuns.append('run', [
      { type: 'step.started', step: 'a' },
      { type: 'step.completed', step: 'a', outcome: 'done' },
    ]);
    const events = await chainRuns.read('run');
    expect(events.map(({ seq, type }) => [seq, type])).toEqual([
      [1, 'chain.started'],
      [2, 'step.started'],
      [3, 'step.completed'],
    ]);
    expect((await chainRuns.read('run', 2)).map(({ seq }) => seq)).toEqual([3]);
  });

  test('keeps status, approvals and usage in the row', async () => {
    const { chainRuns, records } = await open();
    await chainRuns.create(RUN, STARTED);
    const row = async () => {
      const found = await records.chainRuns.get('run');
      return [found?.status, found?.pending_approvals, found?.cost_usd, found?.completed_at];
    };
    await chainRuns.append('run', [{ type: 'approval.requested', step: 'ok', message: '?' }]);
    expect(await row()).toEqual(['awaiting_approval', 1, 0, null]);
    await chainRuns.append('run', [{ type: 'approval.answered', step: 'ok', decision: 'approve' }]);
    const usage = { costUsd: 0.25, inputTokens: 10, outputTokens: 2, costEstimated: true };
    await chainRuns.append('run', [
      { type: 'step.interrupted', step: 'a', usage },
      { type: 'step.completed', step: 'a', outcome: 'done', usage },
    ]);
    expect(await row()).toEqual(['running', 0, 0.5, null]);
    expect(await records.chainRuns.get('run')).toMatchObject({
      input_tokens: 20,
      output_tokens: 4,
      cost_estimated: 1,
    });
    await chainRuns.append('run', [{ type: 'chain.completed', outcome: 'failed' }]);
    expect((await row())[3]).toEqual(expect.any(Number));
    await chainRuns.append('run', [{ type: 'chain.resumed' }]);
    expect(await row()).toEqual(['running', 0, 0.5, null]);
  });

  test('creates a run once', async () => {
    const { chainRuns, records } = await open();
    await chainRuns.create(RUN, STARTED);
    await chainRuns.create({ ...RUN, chain: 'other' }, STARTED);
    expect((await records.chainRuns.get('run'))?.chain).toBe('ship');
    expect(await chainRuns.read('run')).toHaveLength(1);
  });

  test('only the owner appends as owner, and another can take over', async () => {
    const { chainRuns } = await open();
    await chainRuns.create(RUN, STARTED);
    const draft: ChainDraft = { type: 'step.started', step: 'a' };
    expect(await chainRuns.claim('run', ME, (current) => current === undefined)).toBe(true);
    await chainRuns.append('run', [draft], ME);
    const other = { ...ME, ownerId: 'other' };
    expect(await chainRuns.claim('run', other, (current) => current === undefined)).toBe(false);
    expect(await chainRuns.claim('run', other, (current) => current?.ownerId === 'me')).toBe(true);
    await expect(chainRuns.append('run', [draft], ME)).rejects.toMatchObject({
      code: 'lease_lost',
    });
    expect(await chainRuns.heartbeat('run', 'me')).toBe(false);
    expect(await chainRuns.heartbeat('run', 'other')).toBe(true);
    await chainRuns.release('run', 'me');
    await chainRuns.append('run', [draft], other);
    await chainRuns.release('run', 'other');
    expect(await chainRuns.claim('run', ME, (current) => current === undefined)).toBe(true);
  });

  test('two writers at once get different numbers', async () => {
    const { chainRuns } = await open();
    await chainRuns.create(RUN, STARTED);
    const drafts = Array.from({ length: 20 }, (_, index): ChainDraft => {
      return { type: 'step.started', step: `s${index}` };
    });
    await Promise.all(drafts.map((draft) => chainRuns.append('run', [draft])));
    const events = await chainRuns.read('run');
    expect(events.map(({ seq }) => seq)).toEqual(Array.from({ length: 21 }, (_, at) => at + 1));
  });

  test('a decision that finds nothing to do writes nothing', async () => {
    const { chainRuns } = await open();
    await chainRuns.create(RUN, STARTED);
    expect(await chainRuns.append('run', () => [])).toEqual([]);
    await expect(chainRuns.append('missing', [STARTED])).rejects.toMatchObject({
      code: 'not_found',
    });
  });

  test('wakes followers of this process and of other daemons', async () => {
    const one = await open();
    const { chainRuns, wakeUps } = one;
    const moved = new Promise((resolve) => wakeUps.once('chain', resolve));
    await chainRuns.create(RUN, STARTED);
    expect(await moved).toEqual({ runId: 'run', seq: 1 });
    const heard = new Promise((resolve) => wakeUps.once('chain', resolve));
    wakeUps.hear(JSON.stringify(['another daemon', 'run', 7, 'chain']));
    expect(await heard).toEqual({ runId: 'run', seq: 7 });
  });
});
