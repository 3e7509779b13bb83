import type { Button } from '../channel-adapter.ts';

const RETRY = 'retry:';
const REQUEST = 'request:';

/** Button that runs a failed message again. It works after a restart too. */
export function retryButton(messageId: string): Button {
  return { label: 'Retry', value: `${RETRY}${messageId}`, style: 'secondary' };
}

/** The value of a button that answers a request. */
export function requestValue(key: string, choice: string): string {
  return `${REQUEST}${key}:${choice}`;
}

/** Parses the value of a pressed button; undefined if it is not one of the gateway's. */
export function readButton(
  value: string,
):
  | { kind: 'retry'; messageId: string }
  | { kind: 'request'; key: string; choice: string }
  | undefined {
  if (value.startsWith(RETRY)) return { kind: 'retry', messageId: value.slice(RETRY.length) };
  if (!value.startsWith(REQUEST)) return undefined;
  const [key = '', choice = ''] = value.slice(REQUEST.length).split(':');
  return { kind: 'request', key, choice };
}
