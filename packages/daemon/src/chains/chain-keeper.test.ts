import { createBaton } from '@baton/agents/registry/create-baton';
import { type ChainDraft, foldChain, isAwaitingApproval } from '@baton/protocol';
import { openStore } from '@baton/store';
import { WorkspaceHome } from '@baton/workspaces';
import { pino } from 'pino';
import { expect, onTestFinished, test, vi } from 'vitest';
import { Feed } from '../feed/feed.ts';
import { ChainKeeper } from './chain-keeper.ts';

const baton = await createBaton({ settings: 'none' });

const APPROVAL = { kind: 'approval', id: 'ok', onFailure: 'stop', message: 'Go?' };

/** A chain run that a daemon left when it was killed, and the next daemon. */
async function leftBehind(...drafts: ChainDraft[]) {
  const store = await openStore({ url: ':memory:' });
  const definition = JSON.stringify({ name: 'c', inputs: {}, steps: [APPROVAL] });
  const run = { run_id: 'run', chain: 'c', file: 'f', file_hash: 'h', cwd: '/', inputs: '{}' };
  await store.chainRuns.create(
    { ...run, definition, created_by: null },
    { type: 'chain.started', chain: 'c', inputs: {} },
  );
  await store.chainRuns.append('run', drafts);
  const log = pino({ level: 'silent' });
  const startWaiting = async () => {};
  const keeper = new ChainKeeper({
    baton,
    store,
    feed: new Feed(store),
    workspaces: new WorkspaceHome(),
    log,
    leaseMs: 60_000,
    runsTasks: false,
    startWaiting,
  });
  onTestFinished(async () => {
    await keeper.close();
    await store.close();
  });
  return { store, keeper };
}

test('continues a chain that another daemon left', async () => {
  const { store, keeper } = await leftBehind();
  await keeper.begin();
  await vi.waitFor(async () => {
    expect(isAwaitingApproval(foldChain(await store.chainRuns.read('run')))).toBe(true);
  });
  await keeper.engine.answer('run', 'ok', { decision: 'approve' });
  await vi.waitFor(async () => {
    expect((await store.records.chainRuns.get('run'))?.status).toBe('done');
  });
});

test('ends a chain that another daemon was told to stop', async () => {
  const { store, keeper } = await leftBehind(
    { type: 'step.started', step: 'ok' },
    { type: 'approval.requested', step: 'ok', message: 'Go?' },
    { type: 'chain.stop_requested' },
  );
  await keeper.begin();
  expect((await store.records.chainRuns.get('run'))?.status).toBe('cancelled');
});
