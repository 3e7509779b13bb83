import type { Driver, LaunchInput } from '../../driver.ts';
import { agentRuntimeArgs, gatewayArgs, runnerArgs } from './args.ts';
import { ClaudeDialect } from './claude-dialect.ts';
import { claudeText } from './dialect.ts';
import { argsInput, byArgument, print } from './drivers.ts';
import { runnerDialect } from './runner-dialect.ts';

/** Claude as the runner calls it, reads it and stops it. */
export const runnerDriver: Driver = {
  ...oneShot(({ options, prompt }) =>
    runnerArgs({ prompt: prompt.text, model: options.model, allowedTools: options.tools?.allowed }),
  ),
  stop: { ...print.stop, signal: 'SIGTERM' },
  dialect: runnerDialect,
};

/** Claude as the gateway calls it; the streaming form shows the answer as it grows. */
export function gatewayDriver(streaming: boolean): Driver {
  return {
    ...oneShot(({ options, prompt, resume, tempFile }) =>
      gatewayArgs({
        prompt: prompt.text,
        systemPromptFile: tempFile('system-prompt.md', options.systemPrompt ?? ''),
        sessionId: resume,
        allowedTools: options.tools?.allowed ?? [],
        maxTurns: options.maxTurns ?? DEFAULT_MAX_TURNS,
        model: options.model,
        streaming,
      }),
    ),
    stop: { ...print.stop, signal: 'SIGTERM' },
  };
}

const NOT_IN_CONTRACT = 'its command line has no place for it';

/** Claude as the agent runtime calls it: it prints nothing but the answer. */
export const plainDriver: Driver = {
  ...oneShot((input) => {
    const { options, prompt, resume } = input;
    const files = { ...input, options: { ...options, systemPrompt: undefined } };
    const { settingsFile, mcpConfigFile } = argsInput(files);
    return agentRuntimeArgs({
      prompt: prompt.text,
      systemPrompt: options.systemPrompt,
      model: options.model,
      maxTurns: options.maxTurns,
      tools: options.tools,
      settingsFile,
      mcpConfigFile,
      rawArgs: [...(resume ? ['--resume', resume] : []), ...(options.rawArgs ?? [])],
    });
  }),
  transport: 'plain',
  lacks: {
    permissionMode: "what Claude's own settings allow is done, the rest is denied",
    fork: NOT_IN_CONTRACT,
    sessionId: NOT_IN_CONTRACT,
    outputSchema: NOT_IN_CONTRACT,
    budgetUsd: NOT_IN_CONTRACT,
    providerOptions: NOT_IN_CONTRACT,
    images: 'its prompt is text',
  },
  dialect: claudeText,
};

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
