import { ensureInstalled, run } from './install.mjs';

const node = ensureInstalled();
// The same seed makes the same plan; without one each run is another.
const seed = process.env.BATON_CHAOS_SEED ?? `${Date.now() % 1_000_000}`;
const rounds = process.env.BATON_CHAOS_ROUNDS ?? '200';
console.log(`Chaos: ${rounds} rounds with BATON_CHAOS_SEED=${seed}`);
run(
  node,
  [
    ...['node_modules/vitest/vitest.mjs', 'run', '--project=core*', '--reporter=verbose'],
    ...['chaos/on-', ...process.argv.slice(2)],
  ],
  { env: { ...process.env, BATON_CHAOS_SEED: seed, BATON_CHAOS_ROUNDS: rounds } },
);
