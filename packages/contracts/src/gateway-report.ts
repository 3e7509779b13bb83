import { withoutMiddle } from '@baton/engine/normalize/error-text';
import type { AgentEvent, BatonError, LaunchedCommand, RunResult } from '@baton/protocol/values';
import { backendFailure, type ToolFacts } from './backend-failure.ts';
import { type BackendEventResult, eventResult } from './event-result.ts';

/**
 * Reports the end of a run with the gateway's command line. It needs every event and, by `onLaunch` and `onPrinted`, the
 * command and the output of the run.
 */
export class GatewayReport {
  #reportsToolsFirst: boolean;
  #stderr: string[] = [];
  #facts: ToolFacts = { isLaunched: false, hasTools: false, reportsToolsFirst: false };

  /**
   * @param reportsToolsFirst True if the agent, when it streams, reports each tool before it starts. Only then does a
   *   run without tools in its output prove that no tool was started, whenever the agent ended.
   */
  constructor(reportsToolsFirst: boolean) {
    this.#reportsToolsFirst = reportsToolsFirst;
  }

  readonly onLaunch = ({ args }: Pick<LaunchedCommand, 'args'>): void => {
    this.#facts.isLaunched = true;
    this.#facts.reportsToolsFirst = this.#reportsToolsFirst && isStreaming(args);
  };

  readonly onPrinted = (line: string, stream: 'stdout' | 'stderr'): void => {
    if (stream === 'stderr') this.#stderr.push(line);
  };

  see({ type }: AgentEvent): void {
    if (type === 'tool.started' || type === 'file.changed') this.#facts.hasTools = true;
  }

  /** Converts the result of the run. */
  end(result: RunResult): BackendEventResult {
    const answer = eventResult(result, this.#stderr.join('\n'));
    if (!answer.isError) return answer;
    return { ...answer, failure: backendFailure(result.error, this.#facts) };
  }

  /** Converts an error that the run ended with instead of a result. */
  fail(error: BatonError): BackendEventResult {
    const failure = backendFailure(error, this.#facts);
    return { isError: true, responseText: withoutMiddle(error.message), failure };
  }
}

/** True if an agent was told to print events as they happen; otherwise it prints only the result. */
function isStreaming(args: readonly string[]): boolean {
  return args.some((arg, index) => arg === '--output-format' && args[index + 1] === 'stream-json');
}
