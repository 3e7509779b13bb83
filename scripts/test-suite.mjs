import { runVitest } from './run-vitest.mjs';

const [suite, ...more] = process.argv.slice(2);
process.exit(await runVitest([`--project=${suite}`, ...more]));
