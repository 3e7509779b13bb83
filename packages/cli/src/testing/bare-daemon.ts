import { startDaemon } from '@baton/daemon';

// A daemon as a separate program, without executors: the test plays them.
const [folder = ''] = process.argv.slice(2);
const { url, firstLink } = await startDaemon({ folder, port: 0 });
process.stdout.write(`Baton is ready at ${url}\nLog in, once, with ${firstLink}\n`);
