import type { DaemonContext } from '../context.ts';
import type { ServiceDefinition } from '../service/definition.ts';
import { authentication } from './authentication/authentication.ts';
import { events } from './events/events.ts';
import { executors } from './executors/executors.ts';
import { ids } from './ids/ids.ts';
import { imports } from './imports/imports.ts';
import { messages } from './messages/messages.ts';
import { permissions } from './permissions/permissions.ts';
import { sessions } from './sessions/sessions.ts';
import { status } from './status/status.ts';
import { tasks } from './tasks/tasks.ts';
import { tokens } from './tokens/tokens.ts';
import { users } from './users/users.ts';

/** Every service of a daemon. */
export function allServices(context: DaemonContext): ServiceDefinition[] {
  return [
    authentication,
    events,
    executors,
    ids,
    imports,
    messages,
    permissions,
    sessions,
    status,
    tasks,
    tokens,
    users,
  ].map((service) => service(context));
}
