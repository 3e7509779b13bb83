import { join } from 'node:path';
import { openStore } from '@baton/store';
import { endedTask } from '../daemon/seed.ts';

const EVENTS = 100;
const AT_ONCE = 20;

/** Fills the database of a daemon's folder with sessions whose tasks have ended. */
const [folder = '', sessions = ''] = process.argv.slice(2);
const store = await openStore({ url: join(folder, 'baton.db') });
for (let made = 0; made < Number(sessions); made += AT_ONCE) {
  await Promise.all(Array.from({ length: AT_ONCE }, () => endedTask(store, EVENTS)));
}
await store.close();
