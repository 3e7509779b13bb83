import type { ImageInput } from '@baton/protocol';
import type { Json } from '../../normalize/json.ts';

/** An image whose bytes are there. */
export type ImageData = Extract<ImageInput, { data: string }>;

/** A message of the person; the id comes back when Claude takes the message up. */
export function userFrame(uuid: string, text: string, images: readonly ImageData[] = []): string {
  const content = images.length === 0 ? text : [...images.map(imageBlock), { type: 'text', text }];
  return JSON.stringify({
    type: 'user',
    message: { role: 'user', content },
    parent_tool_use_id: null,
    session_id: '',
    uuid,
  });
}

/** A request of ours. */
export function requestFrame(requestId: string, request: Json): string {
  return JSON.stringify({ type: 'control_request', request_id: requestId, request });
}

/** Our answer to a request of Claude. */
export function responseFrame(requestId: string, response: Json): string {
  return JSON.stringify({
    type: 'control_response',
    response: { subtype: 'success', request_id: requestId, response },
  });
}

/** Our refusal of a request that we cannot carry out, so that Claude does not wait for it. */
export function refusalFrame(requestId: string, error: string): string {
  return JSON.stringify({
    type: 'control_response',
    response: { subtype: 'error', request_id: requestId, error },
  });
}

function imageBlock({ data, mimeType }: ImageData): Json {
  return { type: 'image', source: { type: 'base64', media_type: mimeType, data } };
}
