import { createBaton } from '@baton/agents/registry/create-baton';
import { openStore } from '@baton/store';
import { localOperations, WorkspaceHome } from '@baton/workspaces';
import { pino } from 'pino';
import { Authenticator } from '../access/authenticate.ts';
import { ChainKeeper } from '../chains/chain-keeper.ts';
import { ChangeNotifications } from '../feed/change-notifications.ts';
import { Feed } from '../feed/feed.ts';
import { SealedBox } from '../security/sealed-box.ts';
import { TaskTokens } from '../security/task-token.ts';
import type { ServiceDefinition } from '../service/definition.ts';
import { WorkspaceScriptRuns } from '../workspaces/workspace-scripts.ts';
import { allServices } from './all-services.ts';

/** Returns the definitions of all services without running a daemon. */
export async function describeServices<Result>(
  read: (services: readonly ServiceDefinition[]) => Result,
): Promise<Result> {
  const store = await openStore({ url: ':memory:' });
  const key = Buffer.alloc(32);
  const taskTokens = new TaskTokens({ key, lifeMs: 0, now: store.now });
  const log = pino({ level: 'silent' });
  const startWaiting = async () => {};
  const feed = new Feed(store);
  const home = new WorkspaceHome();
  const baton = await createBaton({ settings: 'none' });
  const { engine } = new ChainKeeper({
    ...{ baton, store, feed, workspaces: home, log, leaseMs: 0, runsTasks: false, startWaiting },
  });
  try {
    return read(
      allServices({
        baton,
        daemonId: '',
        store,
        workspaces: home,
        operations: async () => localOperations(home),
        scriptRuns: new WorkspaceScriptRuns(home, log),
        feed,
        changeNotifications: new ChangeNotifications(store),
        taskTokens,
        box: new SealedBox(key),
        log,
        runsTasks: false,
        leaseMs: 0,
        startWaiting,
        chains: engine,
        lookAtRequests: async () => {},
        waitForTask: async () => 'none',
        giveBack: async () => {},
        shortage: () => undefined,
        confirmStop: () => {},
        folder: '',
        authenticator: new Authenticator(store, taskTokens),
        subscribe: async () => {},
        showToken: async () => {},
      }),
    );
  } finally {
    await store.close();
  }
}
