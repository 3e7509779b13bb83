import type { ResolvedOptions } from '../../driver.ts';
import type { Json } from '../../normalize/json.ts';
import type { ThreadRequest } from './app-server-client.ts';
import { readServers, threadServers } from './mcp-servers.ts';

/** What a thread is made from. */
export type ThreadInput = {
  options: ResolvedOptions;
  resume: string | undefined;
  fork: boolean;
};

/** Whether a person or a policy decides what the agent may do. */
export function asks({ permissionMode }: Pick<ResolvedOptions, 'permissionMode'>): boolean {
  return permissionMode !== 'allow-all';
}

/** The request that gives the thread of a run. */
export function threadRequest({ options, resume, fork }: ThreadInput): ThreadRequest {
  const mustAsk = asks(options);
  const servers = threadServers(readServers(options), mustAsk);
  const params: Json = {
    cwd: options.cwd,
    model: options.model,
    // "untrusted" asks before every command, every edit and every MCP tool.
    approvalPolicy: mustAsk ? 'untrusted' : 'never',
    approvalsReviewer: 'user',
    // Always: a thread that begins with more makes Codex note in the user's config.toml that it trusts the folder.
    sandbox: 'read-only',
    config: { mcp_servers: servers },
  };
  if (resume === undefined) {
    return {
      method: 'thread/start',
      params: { ...params, developerInstructions: options.systemPrompt },
    };
  }
  const method = fork ? 'thread/fork' : 'thread/resume';
  return { method, params: { ...params, threadId: resume, excludeTurns: true } };
}

/**
 * What every turn is given. Full access comes only here, where it is not written down for ever, and also
 * where Baton asks: inside a sandbox a command that was allowed would lose its writes without a word, or
 * run twice, first inside and then outside.
 */
export function turnParams({ outputSchema }: ResolvedOptions): Json {
  return { sandboxPolicy: { type: 'dangerFullAccess' }, outputSchema };
}
