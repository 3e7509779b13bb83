import type { Dialect, DialectEntry, DialectOut } from '../../dialect.ts';
import { plainText } from '../../normalize/plain-text.ts';
import { AppServerDialect, isAppServerLine } from './app-server-dialect.ts';
import { codexEnd, STDERR_NOISE } from './errors.ts';
import { eventLogDialect, isOldExecLine, isRolloutLine } from './event-log-dialect.ts';
import { execDialect, isExecLine } from './exec-dialect.ts';
import { reportedError, withoutBanner } from './human-stderr.ts';
import { LABEL } from './name.ts';

/** The ways Codex's output can look; the last is for everything else. */
export const codexDialects: readonly DialectEntry[] = [
  { transport: 'live', recognises: isAppServerLine, create: (out) => new AppServerDialect(out) },
  { transport: 'print', recognises: isExecLine, create: (out) => execDialect(out) },
  { transport: 'old-exec', recognises: isOldExecLine, create: eventLogDialect },
  { transport: 'rollout', recognises: isRolloutLine, create: eventLogDialect },
  { transport: 'plain', recognises: () => false, create: codexText },
];

/** Reads Codex without `--json`: the answer stands on standard output, everything else on standard error. */
function codexText(out: DialectOut): Dialect {
  const text = plainText(out, LABEL, STDERR_NOISE);
  return {
    line: (line) => text.line(line),
    end: (told) => {
      const end = { ...told, stderr: withoutBanner(told.stderr) };
      const verdict = text.end(end);
      if (verdict?.error?.code !== 'agent_crashed') return verdict;
      const lastError = reportedError(end.stderr);
      return codexEnd(end, { understood: true, program: 'exec', isInTurn: true, lastError });
    },
  };
}
