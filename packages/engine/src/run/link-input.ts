import type { ErrorInfo } from '@baton/protocol/values';
import type { RunHooks } from '../definition/backend.ts';
import type { BackgroundWait, EventDraft, PromptInput, Verdict } from '../definition/dialect.ts';
import type { AnyDriver, ResolvedOptions } from '../definition/driver.ts';

/** Everything that a link needs to start its agent, and the callbacks for what the agent reports. */
export type LinkInput = {
  runId: string;
  driver: AnyDriver;
  /** Display name of the agent. */
  label: string;
  options: ResolvedOptions;
  file: string;
  library: string | undefined;
  /** The arguments that come before those of the driver, where the user gave a command instead of a program. */
  firstArgs: readonly string[];
  resume: string | undefined;
  fork: boolean;
  prompt: PromptInput;
  onLaunch: RunHooks['onLaunch'];
  onPrinted: RunHooks['onPrinted'];
  onSent: RunHooks['onSent'];
  confine: RunHooks['confine'];
  /** Settles when the agent may act; one that gets its prompt at its start is not started before. */
  ready: RunHooks['ready'];
  /** Aborted when the run is stopped before the agent is there. */
  signal: AbortSignal;
  /** Called after a line was read. */
  onLine(): void;
  onEmit(draft: EventDraft): void;
  onComplete(verdict: Verdict): void;
  onGiveUp(error: ErrorInfo): void;
  onLimit(error: ErrorInfo): void;
  onBackground(wait: BackgroundWait | undefined): void;
};

/** The facts that a driver gets to launch its agent or to connect to it. */
export function launchFacts({ options, resume, fork, prompt, library }: LinkInput) {
  return { options, resume, fork, prompt, library };
}
