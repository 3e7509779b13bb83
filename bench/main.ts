import { parseArgs } from 'node:util';
import type { Finding } from './benchmark.ts';
import { benchmarksNamed } from './catalog.ts';
import { findingLine } from './report/line.ts';
import { writePages } from './report/pages.ts';
import { Progress } from './report/progress.ts';
import { saveResult } from './report/results.ts';

const USAGE = 'Usage: npm run bench -- [--list] [--quick] [NAME …]';

/** Runs the benchmarks that were asked for, and tells whether the claims hold. */
async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    options: {
      help: { type: 'boolean', short: 'h' },
      list: { type: 'boolean' },
      quick: { type: 'boolean', default: false },
    },
    allowPositionals: true,
  });
  if (values.help) return tell(USAGE);
  const chosen = benchmarksNamed(positionals);
  if (values.list) return tell(chosen.map(({ name, claim }) => `${name}: ${claim}`).join('\n'));
  if (process.platform !== 'linux') return tell('The benchmarks need /proc, so they need Linux.');

  const findings: Finding[] = [];
  for (const benchmark of chosen) {
    console.log(`\n${benchmark.name}: ${benchmark.claim}`);
    const progress = new Progress();
    const found = await benchmark.run({ quick: values.quick, say: (words) => progress.say(words) });
    progress.end();
    for (const finding of found) console.log(`  ${findingLine(finding)}`);
    if (!values.quick) saveResult(benchmark, found);
    findings.push(...found);
  }
  if (!values.quick) writePages();
  const failed = findings.filter(({ verdict }) => verdict === 'FAIL');
  console.log(`\n${findings.length} numbers, ${failed.length} of them beyond their limit.`);
  return failed.length > 0 ? 1 : 0;
}

function tell(words: string): number {
  console.log(words);
  return 0;
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.once(signal, () => {
    console.error(`\nStopped by ${signal}; nothing is left running.`);
    process.exit(130);
  });
}
// Whatever still runs, such as the fake model, ends with this program.
process.exit(await main());
