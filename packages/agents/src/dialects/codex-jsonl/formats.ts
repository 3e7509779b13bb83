import { stripVTControlCharacters } from 'node:util';
import type { Dialect, DialectEntry, DialectOut } from '@baton/engine/definition/dialect';
import { plainText } from '@baton/engine/normalize/plain-text';
import type { ErrorInfo } from '@baton/protocol/values';
import { codexError, judgeCodexEnd, LABEL, STDERR_NOISE } from './errors.ts';
import { eventLogDialect, isOldExecLine, isRolloutLine } from './event-log.ts';
import { execDialect, isExecLine } from './exec.ts';

/** The formats in which Codex prints a run; the last is for everything else. */
export const codexFormats: readonly DialectEntry[] = [
  { transport: 'print', recognises: isExecLine, create: (out) => execDialect(out) },
  { transport: 'old-exec', recognises: isOldExecLine, create: eventLogDialect },
  { transport: 'rollout', recognises: isRolloutLine, create: eventLogDialect },
  { transport: 'plain', recognises: () => false, create: codexText },
];

/** Reads Codex without `--json`: the answer is on stdout, everything else on stderr. */
function codexText(out: DialectOut): Dialect {
  const text = plainText(out, LABEL, STDERR_NOISE);
  return {
    line: (line) => text.line(line),
    end: (told) => {
      const end = { ...told, stderr: withoutBanner(told.stderr) };
      const verdict = text.end(end);
      if (verdict?.error?.code !== 'agent_crashed') return verdict;
      const lastError = reportedError(end.stderr);
      return judgeCodexEnd(end, { understood: true, program: 'exec', isInTurn: true, lastError });
    },
  };
}

/** Version, model and settings, between two rules. */
const BANNER = /^OpenAI Codex v.*\n-{8}\n(?:[\w ]+: .*\n)*-{8}\n/m;

/** Standard error of `codex exec` without `--json`, without what every run begins with. */
export function withoutBanner(stderr: string): string {
  return stripVTControlCharacters(stderr).replace(BANNER, '');
}

/** The last error that was reported among everything else that the run has printed there. */
export function reportedError(stderr: string): ErrorInfo | undefined {
  const words = [...stderr.matchAll(/^ERROR: (.+)$/gm)].at(-1)?.[1];
  return words === undefined ? undefined : codexError(words);
}
