import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Baton } from '@baton/agents/registry/baton';
import { createBaton } from '@baton/agents/registry/create-baton';
import { launch, loadBackend } from '@baton/agents/registry/default-baton';
import { BatonClient, RemoteHost } from '@baton/client';
import { type Daemon, startDaemon } from '@baton/daemon';
import { EmbeddedHost } from '@baton/host';
import type { Host } from '@baton/protocol';
import { openStore, type Store } from '@baton/store';
import { afterAll, beforeAll, inject, onTestFinished, vi } from 'vitest';
import { ownerOf } from '../packages/cli/src/testing/served.ts';
import { hostContract } from './host-contract.ts';
import { runContract, script } from './run-contract.ts';

const MAIN = inject('baton');

let folder: string;
let daemon: Daemon;
let client: BatonClient;
let store: Store;
let baton: Baton;

beforeAll(async () => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'baton-contract-')));
  vi.stubEnv('BATON_DEMO_PACE', '0');
  const command = { file: process.execPath, args: [MAIN, 'executor'] };
  daemon = await startDaemon({ folder: join(folder, 'state'), port: 0, executors: { command } });
  client = new BatonClient({ url: daemon.url, token: await ownerOf(daemon) });
  baton = await createBaton({ settings: 'none' });
  store = await openStore({ url: join(folder, 'embedded.db') });
});
afterAll(async () => {
  client.close();
  await store.close();
  await daemon.close();
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

const cwd = () => folder;

runContract('a run in this program', {
  cwd,
  isShared: false,
  start: (prompt, options) => launch({ backend: 'demo', cwd: folder, prompt, ...options }),
});

runContract('a run of a conversation', {
  cwd,
  isShared: false,
  async start(prompt, options) {
    const demo = await loadBackend('demo');
    const conversation = await demo.open({ cwd: folder });
    onTestFinished(() => void conversation.close());
    // The agent is kept from here on.
    await conversation.run(script({ say: 'Ready.' })).collect();
    return conversation.run(prompt, options);
  },
});

runContract('a run through a daemon', {
  cwd,
  isShared: true,
  start: (prompt, options) => client.launch({ backend: 'demo', cwd: folder, prompt, ...options }),
});

const HOSTS: Record<string, { host: () => Host; isShared: boolean; keepsRuns: boolean }> = {
  'an embedded host': {
    host: () => new EmbeddedHost({ baton }),
    isShared: false,
    keepsRuns: false,
  },
  'an embedded host with a store': {
    host: () => new EmbeddedHost({ baton, store }),
    isShared: true,
    keepsRuns: true,
  },
  'a remote host': { host: () => new RemoteHost(client), isShared: true, keepsRuns: true },
};

for (const [name, { host, isShared, keepsRuns }] of Object.entries(HOSTS)) {
  runContract(`a run of ${name}`, {
    cwd,
    isShared,
    async start(prompt, options) {
      const request = { backend: 'demo', cwd: folder, prompt, ...options };
      return (await host().launch(request)).run;
    },
  });
  hostContract(name, { host, cwd, keepsRuns });
}
