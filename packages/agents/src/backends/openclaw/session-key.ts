import { createHash } from 'node:crypto';
import { object, parseJson, string } from '@baton/config/values/json';
import { BatonError, type McpTaskPacket } from '@baton/protocol/values';
import { agentIdOf } from './gateway-access.ts';

const DEFAULT_CADENCE = 'tick';

/** Fields that identify the conversation of a task. */
type TaskIdentity = {
  taskType: string;
  packet: Pick<McpTaskPacket, 'agentId' | 'orgId' | 'streamId' | 'threadId' | 'inputJson'>;
};

/**
 * The session of a runner's task: tasks of the same kind continue the same conversation. Ids that the gateway would
 * change get a short hash, so that two of them never share a conversation.
 */
export function taskSessionKey(
  { taskType, packet }: TaskIdentity,
  env: Readonly<Record<string, string | undefined>>,
): string {
  // It names an agent in the configuration of the gateway, which ignores case too.
  const agentId = packet.agentId?.trim().toLowerCase() || agentIdOf(env);
  const org = required('orgId', packet.orgId);
  const stream = required('streamId', packet.streamId);
  const place = `agent:${agentId}:flux:org:${org}:stream:${stream}`;
  if (taskType === 'conductor-chat') {
    return `${place}:thread:${required('threadId', packet.threadId)}`;
  }
  if (taskType === 'cadence') return `${place}:cadence:${folded(cadenceKey(packet.inputJson))}`;
  return `${place}:task`;
}

function cadenceKey(inputJson: string | undefined): string {
  const key = object(parseJson(inputJson ?? '')).cadenceKey;
  return string(key)?.trim() || DEFAULT_CADENCE;
}

function required(name: string, id: string | undefined): string {
  if (id?.trim()) return folded(id.trim());
  throw new BatonError('usage', `The task packet has no ${name}, so its session is unknown.`, {
    hint: `Set packet.${name}.`,
  });
}

/** An id as a part of a session key. */
function folded(id: string): string {
  const plain = id.toLowerCase().replaceAll(/[^a-z0-9._-]/g, '-');
  if (plain === id) return id;
  return `${plain}~${createHash('sha256').update(id).digest('hex').slice(0, 10)}`;
}
