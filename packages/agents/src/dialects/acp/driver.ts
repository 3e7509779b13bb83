import { type Json, object } from '@baton/config/values/json';
import {
  DEFAULT_STOP,
  type Driver,
  type Launch,
  type LaunchInput,
  type ResolvedOptions,
} from '@baton/engine/definition/driver';
import { readImage } from '@baton/engine/kit/image-file';
import { readServers } from '@baton/engine/kit/mcp-servers';
import type { PermissionMode } from '@baton/protocol/values';
import type { AcpAgent } from './agent.ts';
import { AcpDialect } from './dialect.ts';

/** Parts of a driver that depend on the agent. */
type AcpParts = {
  agent: AcpAgent;
  launch(input: LaunchInput): Launch;
  /** The agent's own modes for the permission modes; without one, the agent stays in its initial mode. */
  modes?: Partial<Record<PermissionMode, string>>;
  /** Returns the login method, if the agent requires a login first. */
  authMethod?(options: ResolvedOptions): string | undefined;
  /** True if a request of the protocol sets the model; otherwise `launch` passes it to the agent. */
  setsModel?: boolean;
} & Partial<
  Pick<Driver, 'transport' | 'stop' | 'lacks' | 'canWithholdSettings' | 'alsoLoads' | 'isStartRace'>
>;

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
function acpServers(options: Pick<ResolvedOptions, 'mcpConfig' | 'cwd'>): Json[] {
  return Object.entries(readServers(options)).map(([name, server]) => {
    const { command, args = [], env, type = 'http', url, headers } = server;
    if (command === undefined) return { type, name, url, headers: pairs(headers) };
    return { name, command, args, env: pairs(env) };
  });
}

function pairs(values: unknown): Json[] {
  return Object.entries(object(values)).map(([name, value]) => ({ name, value }));
}
