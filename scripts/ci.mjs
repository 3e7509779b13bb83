import { runSuites } from './run-suites.mjs';

process.env.BATON_CHAOS_SEED = '1';
process.env.BATON_CHAOS_ROUNDS = '30';
const SUITES = [
  'test:browser',
  'test:e2e',
  'test:packages',
  'test:chaos',
  'test:places',
  'test:agents',
];
const commands = [['npm', 'test'], ...SUITES.map((name) => ['npm', 'run', name])];
process.exitCode = await runSuites(
  commands.map((command) => ({ name: command.join(' '), command })),
);
