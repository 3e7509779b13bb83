import type { BackendEventResult } from '@baton/runtime/contracts';
import type { EventResult } from '../queue/gateway-event.ts';

/** The result of a backend as a result of the gateway. */
export function toEventResult(result: BackendEventResult, targetChannelId: string): EventResult {
  if (result.isError) return { error: result.responseText, targetChannelId };
  return { responseText: result.responseText, targetChannelId, sessionId: result.sessionId };
}
