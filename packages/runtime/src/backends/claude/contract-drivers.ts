import type { Driver, LaunchInput } from '../../driver.ts';
import { gatewayArgs, runnerArgs } from './args.ts';
import { ClaudeDialect } from './claude-dialect.ts';
import { byArgument, print } from './drivers.ts';

/** Claude as the runner calls it. */
export const runnerDriver: Driver = oneShot(({ options, prompt }) =>
  runnerArgs({ prompt: prompt.text, model: options.model, allowedTools: options.tools?.allowed }),
);

/** Claude as the gateway calls it; the streaming form shows the answer as it grows. */
export function gatewayDriver(streaming: boolean): Driver {
  return oneShot(({ options, prompt, resume, tempFile }) =>
    gatewayArgs({
      prompt: prompt.text,
      systemPromptFile: tempFile('system-prompt.md', options.systemPrompt ?? ''),
      sessionId: resume,
      allowedTools: options.tools?.allowed ?? [],
      maxTurns: options.maxTurns ?? DEFAULT_MAX_TURNS,
      model: options.model,
      streaming,
    }),
  );
}

const DEFAULT_MAX_TURNS = 25;

/** The command lines of the contracts have the prompt behind `-p`; one that cannot be an argument goes to the input. */
function oneShot(args: (input: LaunchInput) => string[]): Driver {
  return {
    transport: 'print',
    keepsProcess: false,
    stop: print.stop,
    launch(input) {
      const { text } = input.prompt;
      const [flag = '-p', _prompt, ...rest] = args(input);
      if (byArgument(text)) return { args: [flag, text, ...rest], stdin: 'none' };
      return { args: [flag, ...rest], stdin: { text } };
    },
    dialect(out) {
      const dialect = new ClaudeDialect(out);
      return { line: (line) => dialect.line(line), end: (end) => dialect.end(end) };
    },
  };
}
