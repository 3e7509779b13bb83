import { compareVersions } from '@baton/agent-tools/install/compare-versions';
import type { Baton } from '@baton/agents/registry/baton';
import { keptDecisions } from '@baton/config/settings/keep-decision';
import type { TrustDecisions } from '@baton/config/trust/trusted-folders';
import { findOrphans, type OrphanedRun, skippedWords } from '@baton/process';
import type { ErrorInfo, PermissionMode, Probe } from '@baton/protocol';
import { type Command, isSet } from '../arguments/command.ts';
import { chosenName } from '../run/choose-backend.ts';
import {
  foundWords,
  installWords,
  type Listed,
  listBackends,
  runCommand,
} from '../run/list-backends.ts';
import { shortName } from '../view/short-name.ts';
import { style } from '../view/style.ts';

export const doctor: Command = {
  name: 'doctor',
  summary: 'Check the agents on this machine and suggest fixes.',
  usage: 'baton doctor [--json]',
  optionsOnly: true,
  options: { json: { type: 'boolean', about: 'print the findings as JSON' } },
  notes: ['Exit codes: 0 at least one agent is ready and the settings are valid, 1 otherwise.'],
  async run(parsed, baton) {
    const { listed, settings, problems } = await listBackends(baton);
    const trust = { ...keptDecisionsOr(problems), here: trustHere(listed) };
    const orphans = findOrphans();
    const agents = listed.filter(isReady);
    const ready = agents.length > 0 && problems.length === 0;
    const out = process.stdout;
    if (isSet(parsed, 'json')) {
      const backends = listed.map(({ id, probe, testedVersions }) => ({
        id,
        ...probe,
        testedVersions,
      }));
      out.write(`${JSON.stringify({ ready, problems, backends, trust, orphans }, null, 2)}\n`);
      return ready ? 0 : 1;
    }
    if (problems.length > 0) out.write(configuration(problems));
    for (const each of listed) out.write(finding(baton, each));
    out.write(trustLines(trust));
    out.write(orphanLines(orphans));
    const mode = settings.get('permissionMode') ?? 'ask';
    const chosen = { name: chosenName(baton, settings), mode };
    const claimed = settings.get('claimedPermissions') ?? [];
    out.write(`\n${nextStep(baton, problems, agents, { ...chosen, claimed })}\n`);
    return ready ? 0 : 1;
  },
};

/** The agent and the permission mode of a run without flags. */
type Choice = { name: string; mode: PermissionMode; claimed: readonly string[] };

type TrustFindings = TrustDecisions & { here: Untrusted[] };
type Untrusted = { backend: string; label: string; settings: string[] };

/** The agents that ignore the settings of the current folder because it is not trusted. */
function trustHere(listed: readonly Listed[]): Untrusted[] {
  return listed
    .filter(({ trust }) => !trust.trusted && trust.settings.length > 0)
    .map(({ id, label, trust }) => ({ backend: id, label, settings: trust.settings }));
}

/** A broken configuration file is told of already. */
function keptDecisionsOr(problems: readonly ErrorInfo[]): TrustDecisions {
  return problems.length > 0 ? { trusted: [], untrusted: [] } : keptDecisions();
}

function trustLines({ trusted, untrusted, here }: TrustFindings): string {
  const out = process.stdout;
  if (trusted.length + untrusted.length + here.length === 0) return '';
  const mark = here.length > 0 ? style(out, 'yellow', '!') : style(out, 'green', '✓');
  const lines = [
    ...here.map(
      ({ label, settings }) => `not trusted here: ${label} does not use ${settings.join(', ')}`,
    ),
    ...(here.length > 0 ? ['→ Run "baton trust" to use the settings of this folder.'] : []),
    ...trusted.map((folder) => `trusted: ${folder}`),
    ...untrusted.map((folder) => `not trusted: ${folder}`),
  ];
  const head = `${mark} ${style(out, 'bold', 'Trusted folders')}\n`;
  return head + lines.map((line) => `    ${line}\n`).join('');
}

function orphanLines(orphans: readonly OrphanedRun[]): string {
  const count = orphans.reduce((sum, { processes }) => sum + processes.length, 0);
  if (count === 0) return '';
  const out = process.stdout;
  const pids = orphans.flatMap(({ processes }) => processes.map(({ pid }) => pid)).join(', ');
  return [
    `${style(out, 'yellow', '!')} ${style(out, 'bold', 'Leftover processes')}  pid ${pids}\n`,
    '    Left running by a Baton process that was killed.\n',
    '    → The next "baton run" or "baton serve" stops them.\n',
  ].join('');
}

function isReady({ id, probe }: Listed): boolean {
  return id !== 'demo' && probe.installed && probe.problems.length === 0;
}

function configuration(problems: readonly ErrorInfo[]): string {
  const out = process.stdout;
  const head = `${style(out, 'red', '✗')} ${style(out, 'bold', 'Configuration')}\n`;
  return head + problems.map(problemLines).join('');
}

function finding(
  baton: Baton,
  { id, label, probe, isGiven, isElsewhere, testedVersions }: Listed,
): string {
  const out = process.stdout;
  const name = style(out, 'bold', label);
  if (probe.installed) {
    const mark = probe.problems.length === 0 ? style(out, 'green', '✓') : style(out, 'yellow', '!');
    const facts = [probe.version, probe.path, foundWords(probe), credentialWords(probe)].filter(
      Boolean,
    );
    const notes = [
      ...probe.problems.map(problemLines),
      versionNote(shortName(baton, id), probe, testedVersions),
      skippedLines(probe),
    ].join('');
    return `${mark} ${name}  ${facts.join('  ')}\n${notes}`;
  }
  // The reason is needed by those who said where the program is, and where there is one that is not used.
  const isMissing = probe.problems.every(({ code }) => code === 'backend_not_found');
  if (isGiven || probe.skipped?.length || !isMissing) {
    const state = isMissing ? 'not found' : 'not available';
    return `${style(out, 'yellow', '!')} ${name}  ${state}\n${probe.problems.map(problemLines).join('')}`;
  }
  if (isElsewhere) {
    return `${style(out, 'dim', '○')} ${name}  not configured\n${probe.problems.map(problemLines).join('')}`;
  }
  return `${style(out, 'dim', '○')} ${name}  not installed\n    ${installWords(probe)}\n`;
}

/** A release outside the range may still work, so the agent counts as ready. */
function versionNote(
  name: string,
  { version, foundBy }: Probe,
  tested: Listed['testedVersions'],
): string {
  if (version === undefined || tested === undefined) return '';
  const { oldest, newest } = tested;
  const isOlder = compareVersions(version, oldest) < 0;
  if (!isOlder && compareVersions(version, newest) <= 0) return '';
  const update =
    foundBy === '~/.baton/agents'
      ? `Update the agent: baton backends update ${name}`
      : 'Update the agent.';
  const hint = isOlder ? update : 'If it behaves differently, update Baton.';
  return `    ${version} is ${isOlder ? 'older' : 'newer'} than the tested releases (${oldest} to ${newest}).\n    → ${hint}\n`;
}

function skippedLines({ skipped = [] }: Probe): string {
  return skipped.map((path) => `    ${skippedWords(path)}\n`).join('');
}

function problemLines({ message, hint }: ErrorInfo): string {
  return `    ${message}\n${hint ? `    → ${hint}\n` : ''}`;
}

function nextStep(
  baton: Baton,
  problems: readonly ErrorInfo[],
  agents: readonly Listed[],
  { name, mode, claimed }: Choice,
): string {
  if (problems.length > 0) return 'Fix the configuration first: runs that need it fail.';
  const can = (agent: Listed) => canRunIn(mode, agent, claimed);
  const chosen = agents.find(({ id }) => id === name);
  const agent = chosen ?? agents.find(can) ?? agents[0];
  if (agent === undefined)
    return 'No agent is ready. Try the demo agent: baton run --backend demo "Hello"';
  const command = agent === chosen ? 'baton run' : runCommand(baton, shortName(baton, agent.id));
  const other = agent.capabilities.permissionModes.find((each) => canRunIn(each, agent, claimed));
  const flag = can(agent) || !other ? '' : ` --permission-mode ${other}`;
  return `Ready: ${command}${flag} "Explain this folder"`;
}

/** True if an agent takes a permission mode: one that only claims to ask needs the consent of the user. */
function canRunIn(
  mode: PermissionMode,
  { id, aliases, capabilities: { permissionModes, permissions } }: Listed,
  claimed: readonly string[],
): boolean {
  if (!permissionModes.includes(mode)) return false;
  const isClaim = permissions === 'claimed' && mode !== 'allow-all';
  return !isClaim || [id, ...aliases].some((name) => claimed.includes(name));
}

function credentialWords({ credentials, credentialSource }: Probe): string {
  if (credentials === 'found') return `credentials: ${credentialSource ?? 'found'}`;
  return credentials === 'not_needed' ? 'needs no credentials' : `credentials: ${credentials}`;
}
