import { randomBytes } from 'node:crypto';
import { createBaton } from '@baton/agents/registry/create-baton';
import { localOperations, WorkspaceHome } from '@baton/workspaces';
import { createApp } from '../../packages/daemon/src/app.ts';
import { ChainKeeper } from '../../packages/daemon/src/chains/chain-keeper.ts';
import { ChangeNotifications } from '../../packages/daemon/src/feed/change-notifications.ts';
import { Feed } from '../../packages/daemon/src/feed/feed.ts';
import { listen } from '../../packages/daemon/src/http/listen.ts';
import { createLog } from '../../packages/daemon/src/logs/create-log.ts';
import { Metrics } from '../../packages/daemon/src/metrics/metrics.ts';
import { SealedBox } from '../../packages/daemon/src/security/sealed-box.ts';
import { TaskTokens } from '../../packages/daemon/src/security/task-token.ts';
import { WorkspaceScriptRuns } from '../../packages/daemon/src/workspaces/workspace-scripts.ts';
import { noStore } from '../daemon/no-store.ts';
import { tellParent } from '../daemon/place.ts';
import { LEASE_MS, ownerToken } from '../daemon/seed.ts';

/** The services of a daemon with nothing behind them that keeps anything: what is left is the price of the way. */
const [folder = ''] = process.argv.slice(2);
const sessionId = 'session';
const claims = { sessionId, taskId: 'task', executorId: 'executor', fence: 1 };
const store = noStore(sessionId, claims.taskId, claims.fence);
const taskTokens = new TaskTokens({ key: randomBytes(32), lifeMs: LEASE_MS, now: Date.now });
const log = createLog('silent');
const startWaiting = async () => {};
const feed = new Feed(store);
const home = new WorkspaceHome();
const baton = await createBaton({ settings: 'none' });
const { engine } = new ChainKeeper({
  ...{
    baton,
    store,
    feed,
    workspaces: home,
    log,
    leaseMs: LEASE_MS,
    runsTasks: false,
    startWaiting,
  },
});
const app = createApp(
  {
    baton,
    daemonId: 'daemon',
    folder,
    store,
    workspaces: home,
    operations: async () => localOperations(home),
    scriptRuns: new WorkspaceScriptRuns(home, log),
    feed,
    changeNotifications: new ChangeNotifications(store),
    taskTokens,
    box: new SealedBox(randomBytes(32)),
    log,
    runsTasks: false,
    leaseMs: LEASE_MS,
    startWaiting,
    chains: engine,
    lookAtRequests: async () => {},
    waitForTask: async () => 'none',
    giveBack: async () => {},
    shortage: () => undefined,
    confirmStop: () => {},
  },
  { doors: { isLocal: true, publicUrl: undefined }, metrics: new Metrics(), trustProxy: [] },
);
const { url } = await listen(app, {
  host: '127.0.0.1',
  port: 0,
  tls: undefined,
  portFile: `${folder}/port`,
  stallMs: LEASE_MS,
});
const executors = [{ sessionId, token: await taskTokens.sign(claims) }];
tellParent({ url, token: await ownerToken(store), executors });
