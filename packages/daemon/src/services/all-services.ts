import type { DaemonContext } from '../context.ts';
import type { ServiceDefinition } from '../service/definition.ts';
import { agentMcpServers } from './agent-mcp-servers/agent-mcp-servers.ts';
import { apiKeys } from './api-keys/api-keys.ts';
import { attachments } from './attachments/attachments.ts';
import { authentication } from './authentication/authentication.ts';
import { backends } from './backends/backends.ts';
import { chainRuns } from './chain-runs/chain-runs.ts';
import { chains } from './chains/chains.ts';
import { changes } from './changes/changes.ts';
import { checkpoints } from './checkpoints/checkpoints.ts';
import { daemons } from './daemons/daemons.ts';
import { events } from './events/events.ts';
import { executors } from './executors/executors.ts';
import { files } from './files/files.ts';
import { finish } from './finish/finish.ts';
import { folders } from './folders/folders.ts';
import { ids } from './ids/ids.ts';
import { imports } from './imports/imports.ts';
import { mcpServers } from './mcp-servers/mcp-servers.ts';
import { messages } from './messages/messages.ts';
import { news } from './news/news.ts';
import { permissions } from './permissions/permissions.ts';
import { reviewComments } from './review-comments/review-comments.ts';
import { rules } from './rules/rules.ts';
import { sessions } from './sessions/sessions.ts';
import { settings } from './settings/settings.ts';
import { status } from './status/status.ts';
import { tasks } from './tasks/tasks.ts';
import { tokens } from './tokens/tokens.ts';
import { transcript } from './transcript/transcript.ts';
import { trustedFolders } from './trusted-folders/trusted-folders.ts';
import { usage } from './usage/usage.ts';
import { users } from './users/users.ts';
import { workspaces } from './workspaces/workspaces.ts';

/** Every service of a daemon. */
export function allServices(context: DaemonContext): ServiceDefinition[] {
  return [
    agentMcpServers,
    apiKeys,
    attachments,
    authentication,
    backends,
    chainRuns,
    chains,
    changes,
    checkpoints,
    daemons,
    events,
    executors,
    files,
    finish,
    folders,
    ids,
    imports,
    mcpServers,
    messages,
    news,
    permissions,
    reviewComments,
    rules,
    sessions,
    status,
    settings,
    tasks,
    tokens,
    transcript,
    trustedFolders,
    usage,
    users,
    workspaces,
  ].map((service) => service(context));
}
