import type { AgentName } from '../../testbed/agents.ts';
import type { Conformance } from './run-conformance.ts';

/** Findings about one release of an agent. */
export type AgentReport = {
  agent: AgentName;
  package: string;
  pinned: string;
  version: string;
  deprecated?: string | undefined;
  /** The newest release, if the registry lacks a part of it. */
  incomplete?: { version: string; reason: string } | undefined;
  /** Undefined when the suite was left out. */
  conformance?: Conformance | undefined;
  scenarios: number;
  broken: string[];
  changed: string[];
  recordings: string;
};

/** True if something that Baton promises no longer holds with this release. */
export function isBroken({ broken, conformance }: AgentReport): boolean {
  return broken.length > 0 || (conformance?.failed.length ?? 0) > 0;
}

/** Formats the report about one agent. */
export function reportText(report: AgentReport): string {
  const { agent, version, pinned, scenarios, broken, changed, conformance, recordings } = report;
  const verdict = isBroken(report) ? 'FAIL' : 'pass';
  const isPinned = version === pinned;
  const compared = isPinned
    ? 'the pinned release: not compared with another one'
    : `compared with the pinned release ${pinned}`;
  return [
    `${verdict}  ${agent} ${version} (${compared})`,
    ...(report.deprecated ? [`  package deprecated: ${report.deprecated}`] : []),
    ...(report.incomplete ? [`  not tested: ${incompleteWords(report.incomplete)}`] : []),
    ...(conformance ? [`  conformance: ${conformanceWords(conformance)}`] : []),
    ...(conformance?.failed ?? []).map((name) => `    ✗ ${name}`),
    `  scenarios: ${scenarios}, ${broken.length} broken${isPinned ? '' : `, ${changed.length} changed`}`,
    ...broken.map((line) => `    ✗ ${line}`),
    ...changed.map((line) => `    · ${shorten(line)}`),
    `  recordings: ${recordings}`,
    '',
  ].join('\n');
}

function incompleteWords({ version, reason }: NonNullable<AgentReport['incomplete']>): string {
  return `the newest release ${version}, of which the registry lacks a part: ${reason}`;
}

function conformanceWords({ passed, failed, skipped }: Conformance): string {
  return `${passed} passed, ${failed.length} failed, ${skipped} skipped`;
}

/** The whole line is in the JSON report. */
function shorten(line: string): string {
  return line.length > 240 ? `${line.slice(0, 240)}… (--json shows all)` : line;
}
