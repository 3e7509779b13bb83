import type { Dialect, DialectOut, StreamEnd, Verdict } from '../../dialect.ts';
import { errorText, withoutMiddle } from '../../normalize/error-text.ts';
import { string } from '../../normalize/json.ts';
import { parseClaudeCliOutput, resultIn } from './cli-output.ts';
import { NOISE, verdictAtEnd } from './end.ts';
import { MAX_HELD } from './lines.ts';
import { verdictOf } from './result.ts';
import { UsageMeter } from './usage.ts';

/** Reads Claude as the runner does: nothing until the end, then whatever was printed, and the exit code decides. */
export function runnerDialect(out: DialectOut): Dialect {
  const lines: string[] = [];
  let length = 0;
  return {
    line(line) {
      length += line.length;
      if (length <= MAX_HELD) lines.push(line);
    },
    end(end) {
      const stdout = lines.join('\n');
      const result = resultIn(stdout);
      const nativeSessionId = string(result?.session_id);
      if (nativeSessionId) out.emit({ type: 'run.identified', nativeSessionId });
      const spoken = result && verdictOf(result, new UsageMeter().end(result), {});
      if (end.code !== 0) return failed(end, stdout, spoken);
      if (spoken && spoken.outcome !== 'done') return spoken;
      return { ...spoken, outcome: 'done', output: parseClaudeCliOutput(stdout) };
    },
  };
}

function failed(end: StreamEnd, stdout: string, spoken: Verdict | undefined): Verdict {
  const { error: reason } = verdictAtEnd(end, true);
  const error = spoken?.error ?? reason;
  const words =
    errorText(end.stderr, NOISE) || spoken?.error?.message || withoutMiddle(stdout.trim());
  return {
    outcome: 'failed',
    usage: spoken?.usage,
    error: error && { ...error, message: words || error.message },
  };
}
