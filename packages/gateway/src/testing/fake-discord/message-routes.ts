import { has, PERMISSION } from '../../adapters/discord/permissions.ts';
import {
  invalidForm,
  missingAccess,
  missingPermissions,
  notAuthor,
  unknownChannel,
  unknownMessage,
} from './api-error.ts';
import { checkMessage, type MessageBody } from './message-rules.ts';
import { pingsOf } from './pings.ts';
import type { Route, RouteRequest, Service } from './route.ts';
import { CHANNEL_TYPE, type FakeChannel, type FakeMessage } from './world.ts';

export const messageRoutes: readonly Route[] = [
  {
    method: 'POST',
    path: /^\/channels\/(\d+)\/messages$/,
    bucket: ({ sendLimit }, [majorId = '']) => ({ name: 'send', majorId, ...sendLimit }),
    handle: createMessage,
  },
  {
    method: 'PATCH',
    path: /^\/channels\/(\d+)\/messages\/(\d+)$/,
    bucket: ({ editLimit }, [majorId = '']) => ({ name: 'edit', majorId, ...editLimit }),
    handle: editMessage,
  },
  { method: 'GET', path: /^\/channels\/(\d+)\/messages$/, handle: listMessages },
  { method: 'GET', path: /^\/channels\/(\d+)$/, handle: getChannel },
  {
    method: 'POST',
    path: /^\/channels\/(\d+)\/typing$/,
    handle(service, { params: [channelId = ''] }) {
      visibleChannel(service, channelId, sendPermission).typingCount += 1;
    },
  },
];

function getChannel(service: Service, { params: [channelId = ''] }: RouteRequest): unknown {
  return service.payloads.channel(visibleChannel(service, channelId));
}

function createMessage(service: Service, request: RouteRequest): unknown {
  const [channelId = ''] = request.params;
  const body = request.body as MessageBody;
  const channel = visibleChannel(service, channelId, sendPermission);
  if (request.files.length > 0) visibleChannel(service, channelId, () => PERMISSION.attachFiles);
  checkMessage(body, request.files, service.settings.uploadBytes);
  const earlier = withSameNonce(service, body);
  if (earlier) return service.payloads.message(earlier, { readable: true });
  const { world } = service;
  const replyTo = replyTarget(channel, body);
  const message = world.addMessage({
    channelId,
    author: world.bot,
    type: replyTo ? 19 : 0,
    content: (body.content ?? '').trim(),
    attachments: request.files.map((file) => world.addAttachment(file)),
    components: body.components ?? [],
    replyTo: replyTo?.id,
    nonce: body.nonce === undefined ? undefined : String(body.nonce),
    pings: pingsOf({
      content: body.content ?? '',
      allowed: body.allowed_mentions,
      repliedUserId: replyTo?.author.id,
    }),
  });
  if (message.nonce !== undefined) {
    const at = service.settings.now();
    service.nonces.set(message.nonce, { messageId: message.id, channelId, at });
  }
  service.gateway.dispatchMessage('MESSAGE_CREATE', message);
  return service.payloads.message(message, { readable: true });
}

/** The message that the same author sent with the same nonce a short time before. */
function withSameNonce(service: Service, body: MessageBody): FakeMessage | undefined {
  const { nonce, enforce_nonce: isEnforced } = body;
  if (nonce === undefined || !isEnforced) return undefined;
  const known = service.nonces.get(String(nonce));
  if (!known || service.settings.now() - known.at >= service.settings.nonceMs) return undefined;
  return service.world.channels
    .get(known.channelId)
    ?.messages.find(({ id }) => id === known.messageId);
}

function replyTarget(channel: FakeChannel, body: MessageBody): FakeMessage | undefined {
  const reference = body.message_reference;
  if (!reference) return undefined;
  const target = channel.messages.find(({ id }) => id === reference.message_id);
  if (target || reference.fail_if_not_exists === false) return target;
  throw invalidForm('message_reference', 'REPLIES_UNKNOWN_MESSAGE', 'Unknown message');
}

function editMessage(service: Service, request: RouteRequest): unknown {
  const [channelId = '', messageId] = request.params;
  const body = request.body as MessageBody;
  const channel = visibleChannel(service, channelId);
  const message = channel.messages.find(({ id }) => id === messageId);
  if (!message) throw unknownMessage();
  if (message.author.id !== service.world.bot.id) throw notAuthor();
  const content = body.content === undefined ? message.content : (body.content ?? '');
  // Files that the message already has are not uploaded again.
  const files = [...message.attachments, ...request.files];
  checkMessage({ ...body, content }, files, service.settings.uploadBytes);
  message.earlier.push(message.content);
  message.content = content.trim();
  if (body.components !== undefined) message.components = body.components;
  // An edit notifies nobody, but it may show mentions that a test should know of.
  const pings = pingsOf({ content, allowed: body.allowed_mentions, repliedUserId: undefined });
  message.pings = {
    everyone: message.pings.everyone || pings.everyone,
    roles: [...new Set([...message.pings.roles, ...pings.roles])],
    users: [...new Set([...message.pings.users, ...pings.users])],
  };
  service.gateway.dispatchMessage('MESSAGE_UPDATE', message);
  return service.payloads.message(message, { readable: true });
}

function listMessages(service: Service, { params, query }: RouteRequest): unknown {
  const { settings, world, payloads } = service;
  const channel = visibleChannel(service, params[0] ?? '');
  // Without this permission, Discord returns an empty list instead of an error.
  if (!has(world.botPermissions(channel), PERMISSION.readMessageHistory)) return [];
  const limit = Number(query.get('limit') ?? 50);
  if (!Number.isInteger(limit) || limit < 1 || limit > 100) {
    throw invalidForm('limit', 'NUMBER_TYPE_MAX', 'int value should be between 1 and 100.');
  }
  const after = query.get('after');
  const found =
    after === null
      ? channel.messages.slice(-limit)
      : channel.messages.filter(({ id }) => BigInt(id) > BigInt(after)).slice(0, limit);
  const isDirect = channel.type === CHANNEL_TYPE.direct;
  return found.toReversed().map((message) =>
    payloads.message(message, {
      readable: settings.messageContent || isDirect || message.author.id === world.bot.id,
    }),
  );
}

function sendPermission({ type }: FakeChannel): bigint {
  return type === CHANNEL_TYPE.thread ? PERMISSION.sendMessagesInThreads : PERMISSION.sendMessages;
}

/** A channel in which the bot may do something. */
function visibleChannel(
  { world }: Service,
  channelId: string,
  needed?: (channel: FakeChannel) => bigint,
): FakeChannel {
  const channel = world.channels.get(channelId);
  if (!channel) throw unknownChannel();
  const permissions = world.botPermissions(channel);
  if (!has(permissions, PERMISSION.viewChannel)) throw missingAccess();
  if (needed && !has(permissions, needed(channel))) throw missingPermissions();
  return channel;
}
