import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { installAgents, oldestAgents, openClawFolder } from '../testbed/install.mjs';
import { ensureInstalled, ROOT } from './install.mjs';
import { runSuites } from './run-suites.mjs';

const HELP = `npm run test:agents -- [--full] [VITEST OPTIONS]

Test the real agents against a model on this machine: for each transport the dozen essential cases
of the conformance suite, and what is particular to each agent.

  --full   all cases of the conformance suite

BATON_TEST_AGENTS=claude,gemini narrows it to some agents.
`;

const BACKENDS = join(ROOT, 'packages/agents/src/backends');
/** Agents of which an older release is supported too; the others from the release that the testbed pins. */
const WITH_OLDEST = ['claude', 'codex', 'pi'];

const OLDEST_FILES = ['conformance.agents', 'tools-first.agents'];

/** The other folders with tests of real agents. */
const ELSEWHERE = ['e2e/', 'packages/cli/', 'packages/web/', 'scripts/', 'testbed/'];

const args = process.argv.slice(2);
if (args.includes('--help')) {
  process.stdout.write(HELP);
  process.exit(0);
}
const known = readdirSync(BACKENDS).filter((name) =>
  existsSync(join(BACKENDS, name, 'conformance.agents.test.ts')),
);
const wanted = (process.env.BATON_TEST_AGENTS ?? '')
  .split(',')
  .flatMap((name) => name.trim() || []);
const unknown = wanted.find((name) => !known.includes(name));
if (unknown) {
  console.error(`BATON_TEST_AGENTS: there is no agent "${unknown}". Known: ${known.join(', ')}.`);
  process.exit(2);
}
const agents = wanted.length > 0 ? wanted : known;
const oldest = WITH_OLDEST.filter((name) => agents.includes(name));

const node = ensureInstalled();
await Promise.all([
  installAgents(),
  oldest.length > 0 && installAgents(oldestAgents),
  agents.includes('openclaw') && installAgents(openClawFolder),
]);

const env = args.includes('--full') ? { BATON_CONFORMANCE: 'full' } : {};
const vitest = [node, 'node_modules/vitest/vitest.mjs', 'run', '--project=agents'];
const options = args.filter((arg) => arg !== '--full');
const BATON_AGENT_MODULES = fileURLToPath(new URL('node_modules', oldestAgents));
process.exitCode = await runSuites([
  ...agents.map((name) => ({
    name,
    command: [...vitest, `backends/${name}/`, ...options],
    env,
  })),
  ...oldest.map((name) => ({
    name: `${name}, the oldest supported release`,
    command: [...vitest, ...OLDEST_FILES.map((file) => `backends/${name}/${file}`), ...options],
    env: { ...env, BATON_AGENT_MODULES },
  })),
  ...(wanted.length > 0
    ? []
    : [
        {
          name: 'through the daemon, and the testbed',
          command: [...vitest, ...ELSEWHERE, ...options],
        },
      ]),
]);
