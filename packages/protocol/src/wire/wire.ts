import type { z } from 'zod';
import type { Closed } from '../closed.ts';
import { agentMcpServersWire } from './agent-mcp-servers.ts';
import { apiKeysWire } from './api-keys.ts';
import { attachmentsWire } from './attachments.ts';
import { authenticationWire } from './authentication.ts';
import { backendsWire } from './backends.ts';
import { chainRunsWire } from './chain-runs.ts';
import { chainsWire } from './chains.ts';
import { changesWire, checkpointsWire } from './changes.ts';
import { daemonsWire } from './daemons.ts';
import { eventsWire } from './events.ts';
import { executorsWire } from './executors.ts';
import { filesWire } from './files.ts';
import { finishWire } from './finish.ts';
import { foldersWire } from './folders.ts';
import { idsWire } from './ids.ts';
import { importsWire } from './imports.ts';
import { mcpServersWire } from './mcp-servers.ts';
import { messagesWire } from './messages.ts';
import { newsWire } from './news.ts';
import { permissionsWire } from './permissions.ts';
import { reviewCommentsWire } from './review-comments.ts';
import { rulesWire } from './rules.ts';
import type { ServiceWire } from './service.ts';
import { sessionsWire } from './sessions.ts';
import { settingsWire } from './settings.ts';
import { statusWire } from './status.ts';
import { tasksWire } from './tasks.ts';
import { tokensWire } from './tokens.ts';
import { transcriptWire } from './transcript.ts';
import { trustedFoldersWire } from './trusted-folders.ts';
import { usageWire } from './usage.ts';
import { usersWire } from './users.ts';
import { workspacesWire } from './workspaces.ts';

/**
 * The schemas of every service of the daemon, by path and method. The daemon validates calls with them and its
 * responses are compiled against them; the client infers its types from them; the OpenAPI document and docs/api.md are
 * generated from them.
 */
export const WIRE = {
  'agent-mcp-servers': agentMcpServersWire,
  'api-keys': apiKeysWire,
  attachments: attachmentsWire,
  authentication: authenticationWire,
  backends: backendsWire,
  'chain-runs': chainRunsWire,
  chains: chainsWire,
  changes: changesWire,
  checkpoints: checkpointsWire,
  daemons: daemonsWire,
  events: eventsWire,
  executors: executorsWire,
  files: filesWire,
  finish: finishWire,
  folders: foldersWire,
  ids: idsWire,
  imports: importsWire,
  'mcp-servers': mcpServersWire,
  messages: messagesWire,
  news: newsWire,
  permissions: permissionsWire,
  'review-comments': reviewCommentsWire,
  rules: rulesWire,
  sessions: sessionsWire,
  settings: settingsWire,
  status: statusWire,
  tasks: tasksWire,
  tokens: tokensWire,
  transcript: transcriptWire,
  'trusted-folders': trustedFoldersWire,
  usage: usageWire,
  users: usersWire,
  workspaces: workspacesWire,
} as const satisfies Record<string, ServiceWire>;
export type Wire = typeof WIRE;

export type ServiceName = keyof Wire;
export type MethodName<Service extends ServiceName> = keyof Wire[Service] & string;

type Part<
  Service extends ServiceName,
  Method,
  Name extends string,
> = Method extends keyof Wire[Service]
  ? Wire[Service][Method] extends Readonly<Record<Name, infer Schema extends z.ZodType>>
    ? Schema
    : undefined
  : undefined;
type Input<Schema> = Schema extends z.ZodType ? z.input<Schema> : Record<string, never>;

/** The request data of a method. */
export type DataOf<Service extends ServiceName, Method extends MethodName<Service>> = Input<
  Part<Service, Method, 'data'>
>;

/** The query parameters of a method. */
export type QueryOf<Service extends ServiceName, Method extends MethodName<Service>> = Input<
  Part<Service, Method, 'query'>
>;

/** The response of a method. */
export type ResultOf<Service extends ServiceName, Method extends MethodName<Service>> =
  Part<Service, Method, 'result'> extends infer Schema extends z.ZodType
    ? Closed<z.output<Schema>>
    : never;
