import { relative } from 'node:path';
import { parseArgs } from 'node:util';
import { loadBackend } from '@baton/agents/registry/default-baton';
import {
  AGENT_NAMES,
  AGENTS,
  type AgentName,
  agentModules,
  agentProgramsIn,
} from '../../testbed/agents.ts';
import { type FakeModel, startFakeModel } from '../../testbed/fake-model/index.ts';
import { chooseRelease } from './choose-release.ts';
import { compareAll } from './compare.ts';
import { type Observation, observe } from './observe.ts';
import { installedVersion, recordingsOf } from './releases.ts';
import { type AgentReport, isBroken, reportText } from './report.ts';
import { runConformance } from './run-conformance.ts';
import { scenariosFor } from './scenarios.ts';

const HELP = `npm run drift -- [AGENT[@VERSION] ...] [--json] [--no-conformance]

Compare the newest release of each agent with the pinned one: run the conformance suite and fixed
scenarios on it, record them, and list what changed. Exit code 1 when a promise of Baton breaks.
The pinned release itself is played once and compared with nothing; it also takes the place of a
newest release of which the registry lacks a part.

  AGENT            ${AGENT_NAMES.join(', ')}; all by default
  @VERSION         a release or tag instead of the newest one
  --json           print the report as JSON
  --no-conformance play the scenarios only
`;

type Wanted = { agent: AgentName; version: string | undefined };

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    json: { type: 'boolean', default: false },
    conformance: { type: 'boolean', default: true },
    help: { type: 'boolean', short: 'h', default: false },
  },
  allowNegative: true,
});
if (values.help) {
  process.stdout.write(HELP);
} else {
  process.exitCode = await main(wantedAgents(positionals));
}

async function main(wanted: readonly Wanted[]): Promise<number> {
  const model = await startFakeModel();
  const reports: AgentReport[] = [];
  try {
    for (const each of wanted) {
      const report = await examine(each, model);
      reports.push(report);
      if (!values.json) process.stdout.write(`${reportText(report)}\n`);
    }
  } finally {
    await model.close();
  }
  if (values.json) process.stdout.write(`${JSON.stringify(reports, null, 2)}\n`);
  return reports.some(isBroken) ? 1 : 0;
}

async function examine({ agent, version }: Wanted, model: FakeModel): Promise<AgentReport> {
  const name = AGENTS[agent].npmPackage;
  const pinned = await installedVersion(agentModules, name);
  progress(`${agent}: fetching ${version ?? 'the newest release'}`);
  const release = await chooseRelease({
    package: name,
    named: version,
    pinned: { version: pinned, modules: agentModules },
  });
  const { modules } = release;
  const before =
    release.version === pinned
      ? undefined
      : await observeAll({ agent, version: pinned, modules: agentModules, model });
  const after = await observeAll({ agent, version: release.version, modules, model });
  if (values.conformance) progress(`${agent} ${release.version}: conformance suite`);
  return {
    agent,
    package: name,
    pinned,
    version: release.version,
    deprecated: release.deprecated,
    incomplete: release.incomplete,
    conformance: values.conformance ? await runConformance(agent, modules) : undefined,
    scenarios: after.length,
    ...compareAll(before, after),
    recordings: relative(process.cwd(), recordingsOf(agent, release.version)),
  };
}

type Installed = { agent: AgentName; version: string; modules: string; model: FakeModel };

async function observeAll({ agent, version, modules, model }: Installed): Promise<Observation[]> {
  const backend = await loadBackend(agent, { binary: agentProgramsIn(modules)[agent].native });
  const recordings = recordingsOf(agent, version);
  const observations: Observation[] = [];
  for (const scenario of scenariosFor(backend)) {
    progress(`${agent} ${version}: ${scenario.name}`);
    observations.push(await observe({ agent, backend, model, recordings }, scenario));
  }
  return observations;
}

function wantedAgents(names: readonly string[]): Wanted[] {
  const all = AGENT_NAMES;
  return (names.length > 0 ? names : all).map((given) => {
    const [agent = '', version] = given.split('@');
    if (isAgent(agent)) return { agent, version };
    process.stderr.write(`There is no agent "${agent}". Known: ${all.join(', ')}.\n`);
    return process.exit(2);
  });
}

function isAgent(name: string): name is AgentName {
  return Object.hasOwn(AGENTS, name);
}

function progress(text: string): void {
  process.stderr.write(`${text}\n`);
}
