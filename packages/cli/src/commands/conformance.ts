import {
  type ConformanceCase,
  checkScripts,
  conformanceCases,
  moduleSubject,
} from '@baton/agent-tools/conformance';
import { raceTimer } from '@baton/process/time/race-timer';
import { BatonError, shortened } from '@baton/protocol/values';
import { type Command, isSet, type Parsed, textOf } from '../arguments/command.ts';
import { EXIT } from '../exit-codes.ts';
import { style } from '../view/style.ts';

/** Maximum number of characters of an assertion that are shown. */
const REASON_LENGTH = 1000;
/** Time limit of one case. */
const CASE_MS = 60_000;
const MARKS = { passed: '✓', skipped: '–', failed: '✗' } as const;

type Finding = {
  name: string;
  outcome: keyof typeof MARKS;
  /** Reason for skipping or failing. */
  reason?: string | undefined;
  ms: number;
};

export const conformance: Command = {
  name: 'conformance',
  summary: 'Run the conformance suite against a custom backend.',
  usage: 'baton conformance [options] MODULE',
  options: {
    only: {
      type: 'string',
      value: 'WORDS',
      about: 'run only cases whose name contains TEXT',
    },
    json: { type: 'boolean', about: 'print results as JSON, one per line' },
  },
  notes: [
    'MODULE is a path such as ./my-backend.ts, or a package name. See docs/backends.md for how to write one.',
    'Exit codes: 0 no case failed, 1 otherwise.',
  ],
  run: checkModule,
};

async function checkModule(parsed: Parsed): Promise<number> {
  const [module, ...rest] = parsed.positionals;
  if (module === undefined || rest.length > 0) {
    throw new BatonError('usage', 'Expected one MODULE.', {
      hint: 'For example: baton conformance ./my-backend.ts',
    });
  }
  const subject = await moduleSubject(module, process.cwd());
  const words = textOf(parsed, 'only')?.toLowerCase() ?? '';
  const cases = conformanceCases(subject).filter(({ name }) => name.toLowerCase().includes(words));
  const { installed, problems } = await subject.backend.probe();
  const [problem] = problems;
  if (!installed && problem) {
    throw new BatonError('backend_not_found', problem.message, { hint: problem.hint });
  }
  if (cases.length === 0) throw new BatonError('usage', `No case name contains "${words}".`);
  await checkScripts(module, subject);
  const out = process.stdout;
  const isJson = isSet(parsed, 'json');
  if (!isJson) out.write(`${subject.backend.label} (${subject.backend.id})\n`);
  const findings: Finding[] = [];
  for (const each of cases) {
    const finding = await findingOf(each);
    findings.push(finding);
    out.write(isJson ? `${JSON.stringify(finding)}\n` : line(finding));
  }
  const count = (outcome: Finding['outcome']) =>
    findings.filter((finding) => finding.outcome === outcome).length;
  if (!isJson) {
    out.write(
      `\n${count('passed')} passed, ${count('skipped')} skipped, ${count('failed')} failed\n`,
    );
  }
  const code = count('failed') === 0 ? EXIT.done : EXIT.failed;
  // What hangs in a case that took too long would keep this program alive.
  if (findings.some(({ ms }) => ms >= CASE_MS)) process.exit(code);
  return code;
}

async function findingOf({ name, skip, run }: ConformanceCase): Promise<Finding> {
  if (skip) return { name, outcome: 'skipped', reason: skip, ms: 0 };
  const began = Date.now();
  const ended = run().then(() => undefined, reasonOf);
  const isOver = await raceTimer([ended], CASE_MS);
  const reason = isOver
    ? await ended
    : `Timed out after ${CASE_MS / 1000} s. Use "baton run" to see the output of the agent.`;
  const ms = Date.now() - began;
  return reason === undefined
    ? { name, outcome: 'passed', ms }
    : { name, outcome: 'failed', reason, ms };
}

function reasonOf(error: unknown): string {
  const reason = error instanceof Error ? error.message : String(error);
  return shortened(reason.trimEnd(), REASON_LENGTH);
}

function line({ name, outcome, reason, ms }: Finding): string {
  const out = process.stdout;
  const colour = { passed: 'green', skipped: 'dim', failed: 'red' } as const;
  const mark = style(out, colour[outcome], MARKS[outcome]);
  if (outcome === 'skipped') return style(out, 'dim', `${MARKS.skipped} ${name} (${reason})\n`);
  if (outcome === 'passed') return `${mark} ${name} ${style(out, 'dim', `${ms} ms`)}\n`;
  return `${mark} ${name} ${style(out, 'dim', `${ms} ms`)}\n${indented(reason ?? '')}\n`;
}

function indented(text: string): string {
  return text.replaceAll(/^/gm, '    ');
}
