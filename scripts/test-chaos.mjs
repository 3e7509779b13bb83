import { runVitest } from './run-vitest.mjs';

// The same seed makes the same plan; without one each run is another.
const BATON_CHAOS_SEED = process.env.BATON_CHAOS_SEED ?? `${Date.now() % 1_000_000}`;
const BATON_CHAOS_ROUNDS = process.env.BATON_CHAOS_ROUNDS ?? '200';
console.log(`Chaos: ${BATON_CHAOS_ROUNDS} rounds with BATON_CHAOS_SEED=${BATON_CHAOS_SEED}`);
const env = { BATON_CHAOS_SEED, BATON_CHAOS_ROUNDS };
const args = [
  '--project=chaos',
  '--reporter=verbose',
  '--reporter=./scripts/test-reporter.ts',
  ...process.argv.slice(2),
];
process.exit(await runVitest(args, { env }));
