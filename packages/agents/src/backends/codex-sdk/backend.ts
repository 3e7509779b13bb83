import type { Adapter } from '@baton/engine/definition/backend-entry';
import type { StreamEnd, Verdict } from '@baton/engine/definition/dialect';
import { DEFAULT_STOP, type Driver, type LaunchInput } from '@baton/engine/definition/driver';
import { childProgram } from '@baton/engine/kit/child-program';
import { toml } from '@baton/engine/kit/toml';
import { findBinary } from '@baton/process';
import { errorInfo } from '@baton/protocol/values';
import { execDialect } from '../../dialects/codex-jsonl/exec.ts';
import { codexFormats } from '../../dialects/codex-jsonl/formats.ts';
import { imagePaths, userSettings } from '../codex/args.ts';
import { codexAdapter } from '../codex/backend.ts';
import { earlierTokens } from '../codex/codex-home.ts';
import { apiKey } from '../codex/credentials.ts';
import {
  accessOf,
  cannotAskNotice,
  checkThread,
  earlierOf,
  execTrust,
  isStartRace,
  lacksSystemPrompt,
  withInstructions,
} from '../codex/drivers.ts';
import { codexEntry } from '../codex/index.ts';
import { codexServers, serverSettings } from '../codex/mcp-servers.ts';
import { codexSdkEntry } from './index.ts';
import type { SdkRequest } from './sdk-host.ts';

const { label: LABEL } = codexSdkEntry;
const HERE = { dirname: import.meta.dirname, filename: import.meta.filename };
const SANDBOX = {
  'read-only': 'read-only',
  'workspace-write': 'workspace-write',
  bypass: 'danger-full-access',
} as const;

/** The SDK, in a process of its own: it starts `codex exec` for each prompt and cannot be talked to meanwhile. */
const print: Driver = {
  transport: 'print',
  keepsProcess: false,
  omitsSubAgents: true,
  // On SIGINT the host aborts the turn, whereupon the SDK ends Codex with SIGTERM. Codex leaves its commands running
  // then; the sweep after the exit ends them.
  stop: { ...DEFAULT_STOP, signalMs: 1000 },
  canWithholdSettings: true,
  isStartRace,
  lacksSystemPrompt,
  launch(input) {
    const { options, tempFile } = input;
    checkThread(input.resume);
    const servers = serverSettings(codexServers(options), tempFile);
    const key = apiKey(options.env);
    return {
      args: childProgram(HERE, 'sdk-host', LABEL),
      env: { ...servers.env, ...(key ? { CODEX_API_KEY: key } : {}) },
      stdin: { text: JSON.stringify(requestOf(input, servers.config)) },
    };
  },
  dialect(out, { options, resume }) {
    const dialect = execDialect(out, {
      earlier: resume === undefined ? undefined : earlierOf(resume, options),
      noted: (threadId) => earlierTokens(threadId, options.env),
      notices: cannotAskNotice(options, 'The Codex SDK'),
    });
    return { ...dialect, end: (end) => unreadable(end) ?? dialect.end(end) };
  },
};

/** Adapter for the Codex SDK, loaded on first use. */
export const codexSdkAdapter: Adapter = {
  drivers: [print],
  dialects: codexFormats,
  credentials: codexAdapter.credentials,
  trusts: codexAdapter.trusts,
  problems: codexAdapter.problems,
  check: (options) => codexAdapter.check?.({ ...options, transport: 'print' }),
};

function requestOf(input: LaunchInput, servers: readonly string[]): SdkRequest {
  const { options, prompt, resume, library = '' } = input;
  const { text, systemPrompt } = withInstructions(input);
  const { cwd, model, outputSchema } = options;
  const codex = installedCodex(input);
  return {
    library,
    codex: {
      ...(codex === undefined ? {} : { codexPathOverride: codex }),
      configOverrides: [
        ...(systemPrompt ? [`developer_instructions=${toml(systemPrompt)}`] : []),
        ...execTrust(options),
        ...userSettings(options),
        ...servers,
      ],
    },
    thread: {
      ...(model === undefined ? {} : { model }),
      sandboxMode: SANDBOX[accessOf(options)],
      approvalPolicy: 'never',
      workingDirectory: cwd,
      skipGitRepoCheck: true,
    },
    ...(resume === undefined ? {} : { resume }),
    input: [
      { type: 'text', text },
      ...imagePaths(prompt.images, cwd).map((path) => ({ type: 'local_image' as const, path })),
    ],
    ...(outputSchema === undefined ? {} : { outputSchema }),
  };
}

/** The Codex that `codex-cli` would run; without one the SDK uses the release that it was built for. */
function installedCodex({ options }: LaunchInput): string | undefined {
  const { binary } = codexEntry;
  if (!binary || !('name' in binary)) return undefined;
  try {
    return findBinary(binary, options).path;
  } catch {
    return undefined;
  }
}

/** The SDK splits lines at U+2028 too, which Codex prints inside of its JSON. */
function unreadable({ stderr }: StreamEnd): Verdict | undefined {
  if (!stderr.includes('Failed to parse item: ')) return undefined;
  const message = 'The Codex SDK could not read a line of Codex.';
  const hint =
    'The SDK fails on the characters U+2028 and U+2029. Use the backend "codex-cli", which reads them.';
  return { outcome: 'failed', error: errorInfo('output_unreadable', message, { hint }) };
}
