import { startDaemon } from '@baton/daemon';
import { tellParent } from '../daemon/place.ts';
import { LEASE_MS, ownerToken, takenTask } from '../daemon/seed.ts';

/** A daemon with its database in a folder, and a session with a running task for each number of events. */
const [folder = '', ...tasks] = process.argv.slice(2);
const daemon = await startDaemon({ folder, port: 0, logLevel: 'warn', leaseMs: LEASE_MS });
const executors = [];
for (const events of tasks) executors.push(await takenTask(daemon, Number(events)));
tellParent({ url: daemon.url, token: await ownerToken(daemon.store), executors });
