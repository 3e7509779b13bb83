import { exitCode } from './exit-code.mjs';
import { folderInMemory } from './folder-in-memory.mjs';
import { ensureInstalled } from './install.mjs';

const node = ensureInstalled();
// The same seed makes the same plan; without one each run is another.
const BATON_CHAOS_SEED = process.env.BATON_CHAOS_SEED ?? `${Date.now() % 1_000_000}`;
const BATON_CHAOS_ROUNDS = process.env.BATON_CHAOS_ROUNDS ?? '200';
console.log(`Chaos: ${BATON_CHAOS_ROUNDS} rounds with BATON_CHAOS_SEED=${BATON_CHAOS_SEED}`);
const TMPDIR = process.env.TMPDIR ?? folderInMemory();
const env = { ...process.env, BATON_CHAOS_SEED, BATON_CHAOS_ROUNDS, ...(TMPDIR && { TMPDIR }) };
const vitest = ['node_modules/vitest/vitest.mjs', 'run', '--project=chaos', '--reporter=verbose'];
process.exit(await exitCode(node, [...vitest, ...process.argv.slice(2)], { env }));
