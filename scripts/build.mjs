import { ensureInstalled, run } from './install.mjs';

run(ensureInstalled(), ['scripts/build/main.ts', ...process.argv.slice(2)]);
