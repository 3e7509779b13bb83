import { randomUUID } from 'node:crypto';
import { hostLibrary } from '@baton/engine/kit/library-host';
import { Performer } from '../../../../agents/src/backends/demo/performer.ts';
import { stepsFor } from '../../../../agents/src/backends/demo/steps.ts';

/** An agent that is a library, in its child process: what plays the demo agent's scripts. */
hostLibrary(async ({ options, resume }, emit) => {
  let performer: Performer | undefined;
  let abort = new AbortController();
  emit({ type: 'run.identified', nativeSessionId: resume ?? options.sessionId ?? randomUUID() });
  return {
    prompt: ({ text }) => {
      abort = new AbortController();
      performer = new Performer({
        print: (line) => line.type !== 'turn.completed' && emit(line),
        permissionMode: options.permissionMode,
        pace: 0,
        abort: abort.signal,
      });
      return performer.play(stepsFor(text));
    },
    answer: (requestId, answer) => performer?.answer(requestId, answer),
    interrupt: () => abort.abort(),
  };
});
