import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { AgentName } from '../../testbed/agents.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

export type Conformance = { passed: number; skipped: number; failed: string[] };

/** Runs the conformance suite on the release of an agent in a folder `node_modules`. */
export async function runConformance(agent: AgentName, modules: string): Promise<Conformance> {
  const folder = await mkdtemp(join(tmpdir(), 'baton-drift-'));
  const file = join(folder, 'results.json');
  try {
    const said = await vitest(agent, modules, file);
    const report = await readFile(file, 'utf8').catch(() => {
      throw new Error(`The conformance suite did not run:\n${said}`);
    });
    return count(JSON.parse(report) as Report);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

type Report = { testResults: { message?: string; assertionResults: Result[] }[] };
type Result = { title: string; status: string; failureMessages?: string[] };

function count({ testResults }: Report): Conformance {
  const results = testResults.flatMap(({ assertionResults }) => assertionResults);
  const withStatus = (status: string) => results.filter((result) => result.status === status);
  const failed = withStatus('failed').map(({ title, failureMessages }) => {
    const [cause = ''] = (failureMessages?.[0] ?? '').split('\n');
    return cause ? `${title}: ${cause}` : title;
  });
  // A file that cannot even be loaded has no results.
  const unloaded = testResults.flatMap(({ message, assertionResults }) =>
    assertionResults.length === 0 ? [message ?? 'The suite could not be loaded.'] : [],
  );
  return {
    passed: withStatus('passed').length,
    skipped: withStatus('skipped').length + withStatus('pending').length,
    failed: [...failed, ...unloaded],
  };
}

function vitest(agent: AgentName, modules: string, outputFile: string): Promise<string> {
  const args = [
    join(ROOT, 'node_modules/vitest/vitest.mjs'),
    'run',
    '--project=agents',
    '--reporter=json',
    `--outputFile=${outputFile}`,
    `packages/agents/src/backends/${agent}/conformance.agents.test.ts`,
  ];
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, {
      cwd: ROOT,
      env: { ...process.env, BATON_AGENT_MODULES: modules, BATON_CONFORMANCE: 'full' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let said = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        said = (said + text).slice(-4000);
      });
    }
    child.once('error', reject);
    // Failed cases end it with 1; what failed is in the file.
    child.once('close', () => resolve(said));
  });
}
