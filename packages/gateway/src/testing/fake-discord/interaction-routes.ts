import { invalidForm } from './api-error.ts';
import { checkMessage, type MessageBody } from './message-rules.ts';
import { pingsOf } from './pings.ts';
import type { Route, RouteRequest, Service } from './route.ts';

const CHANNEL_MESSAGE = 4;
const DEFERRED_MESSAGE = 5;
const DEFERRED_UPDATE = 6;
const EPHEMERAL = 64;

type CallbackBody = { type: number; data?: MessageBody };
type CommandBody = { name: string; description: string; options?: unknown[] };

export const interactionRoutes: readonly Route[] = [
  {
    method: 'POST',
    path: /^\/interactions\/(\d+)\/([^/]+)\/callback$/,
    isPublic: true,
    handle: respond,
  },
  {
    method: 'PATCH',
    path: /^\/webhooks\/(\d+)\/([^/]+)\/messages\/@original$/,
    isPublic: true,
    handle(service, { params: [, token = ''], body }) {
      const data = body as MessageBody;
      checkMessage(data, [], service.settings.uploadBytes);
      const { channelId, settle } = service.interactions.complete(token);
      postResponse(service, channelId, data);
      settle({ kind: 'message', text: data.content ?? '', ephemeral: false });
      return {};
    },
  },
  {
    method: 'PUT',
    path: /^\/applications\/(\d+)\/commands$/,
    handle(service, { body }) {
      const commands = body as CommandBody[];
      for (const { name, description } of commands) checkCommand(name, description);
      service.world.commands = commands;
      return commands.map((command) => ({
        ...command,
        id: service.world.ids.next(),
        application_id: service.world.applicationId,
        type: 1,
        version: service.world.ids.next(),
        default_member_permissions: null,
      }));
    },
  },
  {
    method: 'GET',
    path: /^\/applications\/(\d+)\/commands$/,
    handle: ({ world }) => world.commands,
  },
];

function respond(service: Service, request: RouteRequest): void {
  const [id = '', token = ''] = request.params;
  const { type, data = {} } = request.body as CallbackBody;
  if (type === CHANNEL_MESSAGE) checkMessage(data, [], service.settings.uploadBytes);
  if (type === DEFERRED_MESSAGE) return service.interactions.defer(id, token);
  const { channelId, settle } = service.interactions.respond(id, token);
  if (type === DEFERRED_UPDATE) {
    settle({ kind: 'acknowledged' });
    return;
  }
  if (type !== CHANNEL_MESSAGE) throw invalidForm('type', 'BASE_TYPE_CHOICES', 'Not supported.');
  const content = data.content ?? '';
  const ephemeral = ((data.flags ?? 0) & EPHEMERAL) !== 0;
  if (!ephemeral) postResponse(service, channelId, data);
  settle({ kind: 'message', text: content, ephemeral });
}

/** A response that everyone in the channel sees is a message of the bot. */
function postResponse({ world, gateway }: Service, channelId: string, data: MessageBody): void {
  const content = data.content ?? '';
  const message = world.addMessage({
    channelId,
    author: world.bot,
    type: 20,
    content,
    attachments: [],
    components: data.components ?? [],
    pings: pingsOf({ content, allowed: data.allowed_mentions, repliedUserId: undefined }),
  });
  gateway.dispatchMessage('MESSAGE_CREATE', message);
}

function checkCommand(name: string, description: string): void {
  if (!/^[-_\p{Ll}\p{N}]{1,32}$/u.test(name)) {
    throw invalidForm('name', 'APPLICATION_COMMAND_INVALID_NAME', 'Command name is invalid');
  }
  if (description.length < 1 || description.length > 100) {
    throw invalidForm(
      'description',
      'BASE_TYPE_BAD_LENGTH',
      'Must be between 1 and 100 in length.',
    );
  }
}
