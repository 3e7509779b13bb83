import type { GatewayEvent } from '../queue/gateway-event.ts';
import type { Turn } from '../queue/message-queue.ts';
import { CHANNEL, USER } from './scripted-channel.ts';

export const EVENT: GatewayEvent = {
  channelId: CHANNEL,
  messageId: 'm1',
  userId: USER,
  text: 'Hi',
  files: [],
};

/** A turn that keeps what was sent in memory. */
export function testTurn(sent: string[] = [], id = 'turn'): Turn {
  const asked: Record<string, string> = {};
  return {
    id,
    asked,
    storeAsked: async (key, messageId) => {
      asked[key] = messageId;
    },
    signal: new AbortController().signal,
    sent,
    agentStarts: async () => {},
    storeSent: async (index, id) => {
      sent[index] = id;
    },
  };
}
