import { benchmarksNamed } from '../catalog.ts';
import { limit, measured } from './line.ts';
import { type Result, readResult } from './results.ts';

/** The results of all benchmarks as a table, with a sentence about where they were measured. */
export function benchTable(): string {
  const results = benchmarksNamed([]).flatMap(({ name }) => readResult(name) ?? []);
  const rows = results.flatMap(({ name, claim, findings }) =>
    findings.map((finding, index) => {
      const first = index === 0 ? [`\`${name}\``, claim] : ['', ''];
      return [...first, finding.what, measured(finding), limit(finding), finding.verdict];
    }),
  );
  const head = ['benchmark', 'claim', 'number', 'measured', 'limit', 'result'];
  const lines = [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`);
  return [...surroundings(results), '', ...lines].join('\n');
}

function surroundings(results: readonly Result[]): string[] {
  const sentences = results.map(({ date, machine }) => {
    const { processor, cores, memoryGb, system, node, claude, codex } = machine;
    return `Measured on ${date}: ${system}, ${cores} cores (${processor}), ${memoryGb} GB, Node ${node}, Claude Code ${claude}, Codex ${codex}.`;
  });
  return [...new Set(sentences)];
}
