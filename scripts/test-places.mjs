// Plain JavaScript for old Node versions: this runs before the right Node is installed.
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from './install.mjs';
import { runSuites } from './run-suites.mjs';

const HELP = `npm run test:places -- [--full]

Run the two commands, npm test and npm start, on fresh clones of the last commit in places that differ from
the usual one: a path with a space and a non-ASCII letter; below a folder that only root can enter; as an
ordinary user with a folder in PATH that is closed to them, a home that does not exist yet and an empty npm
cache. The last two need root.

  --full   all tests of npm test, instead of those that start programs by their paths
`;

/** Tests that start programs, PostgreSQL or sandboxes by their paths. */
const SHORT = [
  'packages/store/src/queue',
  'packages/contracts/src',
  'packages/process/src',
  'packages/engine/src/kit',
  'packages/gateway/src/runtime',
  'packages/cli/src/commands/own-agents',
  'packages/executor/src/isolation',
];
const NOBODY = 65534;

if (process.argv.includes('--help')) {
  process.stdout.write(HELP);
  process.exit(0);
}
const tests = process.argv.includes('--full') ? [] : ['--', ...SHORT];
const isRoot = process.getuid?.() === 0;
const base = mkdtempSync(join(tmpdir(), 'baton-places-'));
chmodSync(base, 0o755);
try {
  const places = [inPathWithSpaces(), ...(isRoot ? [belowClosedFolder(), asOrdinaryUser()] : [])];
  process.exitCode = await runSuites(
    places.flatMap(({ name, cwd, wrap = [], env = {} }) => [
      { name: `npm test ${name}`, command: [...wrap, 'npm', 'test', ...tests], cwd, env },
      { name: `npm start ${name}`, command: [...wrap, 'node', 'scripts/start-once.mjs'], cwd, env },
    ]),
  );
} finally {
  rmSync(base, { recursive: true, force: true });
}

function inPathWithSpaces() {
  return { name: 'in a path with spaces', cwd: clone(join(base, 'my prögrams', 'baton')) };
}

function belowClosedFolder() {
  const closed = join(base, 'closed');
  mkdirSync(closed, { mode: 0o700 });
  return { name: 'below a folder that only root can enter', cwd: clone(join(closed, 'baton')) };
}

function asOrdinaryUser() {
  const folder = join(base, 'user');
  const shut = join(base, 'shut');
  mkdirSync(shut, { mode: 0o000 });
  const cwd = clone(join(folder, 'baton'));
  execFileSync('chown', ['-R', `${NOBODY}:${NOBODY}`, folder]);
  return {
    name: 'as an ordinary user',
    cwd,
    wrap: ['setpriv', `--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups'],
    env: {
      HOME: join(folder, 'home/of/nobody'),
      PATH: `${shut}:${process.env.PATH}`,
      npm_config_cache: join(folder, 'cache'),
      USER: 'nobody',
    },
  };
}

function clone(place) {
  execFileSync('git', ['clone', '--quiet', '--no-hardlinks', ROOT, place]);
  return place;
}
