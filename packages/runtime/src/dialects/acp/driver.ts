import type { PermissionMode } from '@baton/protocol/values';
import {
  DEFAULT_STOP,
  type Driver,
  type Launch,
  type LaunchInput,
  type ResolvedOptions,
} from '../../definition/driver.ts';
import { readImage } from '../../kit/image-file.ts';
import { readServers } from '../../kit/mcp-servers.ts';
import { type Json, object } from '../../normalize/json.ts';
import type { AcpAgent } from './agent.ts';
import { AcpDialect } from './dialect.ts';

/** What one agent needs for a conversation over the Agent Client Protocol. */
export type AcpParts = {
  agent: AcpAgent;
  launch(input: LaunchInput): Launch;
  /** The agent's own modes that keep the permission modes; without one the agent stays in the mode it begins with. */
  modes?: Partial<Record<PermissionMode, string>>;
  /** How to log in when the agent wants that first. */
  authMethod?(options: ResolvedOptions): string | undefined;
  /** Whether the model is a request of the protocol; else `launch` gives it to the agent. */
  setsModel?: boolean;
} & Partial<Pick<Driver, 'transport' | 'stop' | 'lacks' | 'canWithholdSettings' | 'isStartRace'>>;

/** A way to talk to an agent over the Agent Client Protocol: one process for many prompts, with questions and answers. */
export function acpDriver({ agent, modes = {}, authMethod, setsModel, ...more }: AcpParts): Driver {
  return {
    transport: 'live',
    keepsProcess: true,
    stop: DEFAULT_STOP,
    ...more,
    dialect: (out, { options, resume, fork }) =>
      new AcpDialect(out, agent, {
        cwd: options.cwd,
        mcpServers: acpServers(options),
        resume,
        fork,
        mode: modes[options.permissionMode],
        allowsAll: options.permissionMode === 'allow-all',
        model: setsModel ? options.model : undefined,
        authMethod: authMethod?.(options),
        readImage: (image) => readImage(image, options.cwd),
      }),
  };
}

/** The MCP servers of a run in the form of the protocol. */
export function acpServers(options: Pick<ResolvedOptions, 'mcpConfig' | 'cwd'>): Json[] {
  return Object.entries(readServers(options)).map(([name, server]) => {
    const { command, args = [], env, type = 'http', url, headers } = server;
    if (command === undefined) return { type, name, url, headers: pairs(headers) };
    return { name, command, args, env: pairs(env) };
  });
}

function pairs(values: unknown): Json[] {
  return Object.entries(object(values)).map(([name, value]) => ({ name, value }));
}
