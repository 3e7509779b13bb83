import { realpathSync } from 'node:fs';
import { type Json, object, parseJson } from '@baton/config/values/json';
import {
  DEFAULT_STOP,
  type Driver,
  type LaunchInput,
  type ResolvedOptions,
} from '@baton/engine/definition/driver';
import { readImage } from '@baton/engine/kit/image-file';
import { readServers } from '@baton/engine/kit/mcp-servers';
import { cannotAsk } from '@baton/engine/kit/notices';
import { promptArgument } from '@baton/engine/kit/prompt-argument';
import { askingSettings, execArgs, givenSettings, sessionSettings } from './args.ts';
import { allowedCommands, checkSession, earlierTokens, lacksSystemPrompt } from './droid-home.ts';
import { DroidDialect } from './session-dialect.ts';
import { DroidPrinted } from './stream-json.ts';

/** `droid exec` over its own protocol: one process for many prompts, with questions and answers. */
export const live: Driver = {
  transport: 'live',
  keepsProcess: true,
  // After its last turn it reports to Factory for about 6 s, and neither the end of its input nor a signal shortens that.
  stop: { interruptMs: 1000, closeMs: 200, signal: 'SIGTERM', signalMs: 200 },
  lacksSystemPrompt,
  launch: ({ options, resume, tempFile }) => {
    if (resume !== undefined) checkSession(resume, options);
    return {
      args: [
        ...['--settings', tempFile('settings.json', JSON.stringify(liveSettings(options)))],
        ...['exec', '--input-format', 'stream-jsonrpc', '--output-format', 'stream-jsonrpc'],
        ...(options.rawArgs ?? []),
      ],
      env: environment(options),
      stdin: 'open',
    };
  },
  dialect: (out, { options, resume, fork }) => {
    const { cwd, sessionId, systemPrompt } = options;
    return new DroidDialect(out, {
      cwd: realpathSync(cwd),
      resume,
      fork,
      settings: sessionSettings(options),
      beginning: {
        ...(sessionId === undefined ? {} : { sessionId }),
        ...(systemPrompt === undefined ? {} : { systemPrompt: { append: systemPrompt } }),
        blockOnMcpLoad: true,
      },
      mcpServers: servers(options),
      allowsAll: options.permissionMode === 'allow-all',
      readImage: (image) => readImage(image, cwd),
    });
  },
};

/** `droid exec` for one prompt, without communication while it works. */
export const print: Driver = {
  transport: 'print',
  keepsProcess: false,
  graceMs: 500,
  // After a signal it works on, so nothing is gained by waiting.
  stop: { ...DEFAULT_STOP, signal: 'SIGTERM', signalMs: 0 },
  lacks: { images: 'its prompt is text', mcpConfig: 'it takes its servers from its settings' },
  launch: (input) => {
    const { options, prompt, resume, fork } = input;
    if (resume !== undefined) checkSession(resume, options);
    const { argument, stdin } = promptArgument(prompt.text);
    const args = execArgs(options, {
      format: 'stream-json',
      prompt: argument,
      resume: resume ?? options.sessionId,
      fork,
      ...files(input),
    });
    return { args, stdin };
  },
  dialect: (out, { options: { permissionMode, env }, resume }) => {
    if (permissionMode !== 'allow-all') {
      out.emit(
        cannotAsk('droid exec', permissionMode, 'it has no tools but those that read files'),
      );
    }
    return new DroidPrinted(out, {
      earlier: resume === undefined ? undefined : earlierTokens(resume, env),
      noted: (sessionId) => earlierTokens(sessionId, env),
    });
  },
};

function files({ options, tempFile }: Pick<LaunchInput, 'options' | 'tempFile'>) {
  const { systemPrompt, settings } = options;
  return {
    systemPromptFile: systemPrompt && tempFile('system-prompt.md', systemPrompt),
    settingsFile: settings && tempFile('settings.json', JSON.stringify(givenSettings(options))),
  };
}

function liveSettings(options: ResolvedOptions): Json {
  const given = givenSettings(options);
  if (options.permissionMode === 'allow-all') return given;
  return askingSettings(given, allowedCommands(options));
}

/** Keeps Droid to the settings that make it ask. */
function environment({ env }: ResolvedOptions): Record<string, string | undefined> {
  const flags = object(parseJson(env.FACTORY_FEATURE_FLAGS_OVERRIDES ?? ''));
  return {
    // With its rules engine other commands pass, and nothing proves which.
    FACTORY_FEATURE_FLAGS_OVERRIDES: JSON.stringify({ ...flags, cli_rules_engine: false }),
    // Where it finds this variable, Droid takes itself for its own test and ignores all lists of commands.
    VITEST_WORKER_ID: undefined,
  };
}

/** The MCP servers of a run in the form of Droid's protocol. */
function servers(options: ResolvedOptions): Json[] {
  return Object.entries(readServers(options)).map(([name, server]) => {
    const { command, args = [], env = {}, type = 'http', url, headers } = server;
    if (command !== undefined) return { name, command, args, env };
    const pairs = Object.entries(object(headers)).map(([key, value]) => ({ name: key, value }));
    return { type, name, url, headers: pairs };
  });
}
