import { BatonError } from '@baton/protocol';

/** The error codes of Discord's REST API that the adapter tells apart. */
export const API_ERROR = {
  unknownChannel: 10003,
  unknownGuild: 10004,
  unknownMessage: 10008,
  unknownInteraction: 10062,
  requestTooLarge: 40005,
  alreadyAcknowledged: 40060,
  missingAccess: 50001,
  blankMessage: 50006,
  cannotMessageUser: 50007,
  missingPermissions: 50013,
} as const;

const PERMISSIONS_HINT =
  'Give the bot the permissions View Channel, Send Messages, Attach Files and Read Message History.';
const TOKEN_HINT =
  'Create a new token under Bot in the Developer Portal, and set it as the token of the gateway.';
const INTENT_HINT = 'Enable the Message Content intent under Bot in the Developer Portal.';

/** Error of discord.js for an error response: `DiscordAPIError`, or `HTTPError` without a code. */
type ResponseError = Error & { status: number; code?: number | string };

/** The code of an error that Discord returned, if it is one. */
export function apiErrorCode(error: unknown): number | undefined {
  if (!isResponseError(error) || typeof error.code !== 'number') return undefined;
  return error.code;
}

/**
 * Turns an error of discord.js into one that says what to do and whether a retry can help. It has no cause: the error of
 * discord.js contains the request, with the message and tokens of interactions.
 */
export function toBatonError(error: unknown, doing: string, token: string): BatonError {
  if (BatonError.is(error)) return error;
  const fail = (code: ConstructorParameters<typeof BatonError>[0], why: string, hint?: string) =>
    new BatonError(code, redact(`${doing}: ${why}`, token), hint === undefined ? {} : { hint });
  if (isInvalidToken(error))
    return fail('unauthenticated', 'Discord rejected the token.', TOKEN_HINT);
  if (!isResponseError(error)) {
    return fail('network_unreachable', `Discord could not be reached: ${messageOf(error)}`);
  }
  const said = `Discord answered "${error.message}"`;
  switch (error.code) {
    case API_ERROR.unknownChannel:
      return fail('not_found', `${said}: the channel does not exist.`, 'Check the channel id.');
    case API_ERROR.unknownMessage:
      return fail('not_found', `${said}: the message was deleted.`);
    case API_ERROR.missingAccess:
    case API_ERROR.missingPermissions:
      return fail('forbidden', `${said}: the bot lacks a permission.`, PERMISSIONS_HINT);
    case API_ERROR.cannotMessageUser:
      return fail(
        'forbidden',
        `${said}: the user does not accept direct messages of the bot.`,
        'The user can allow direct messages in the privacy settings of the server.',
      );
    case API_ERROR.requestTooLarge:
      return fail('request_rejected', `${said}: the files are too large.`, 'Send smaller files.');
  }
  if (error.status >= 500) return fail('provider_error', `${said} (HTTP ${error.status}).`);
  if (error.status === 429) return fail('too_many_requests', `${said}.`);
  if (error.status === 403) return fail('forbidden', `${said}.`, PERMISSIONS_HINT);
  if (error.status === 404) return fail('not_found', `${said}.`);
  return fail('request_rejected', `${said}.`);
}

/** The error for a close code of the gateway connection after which discord.js does not reconnect. */
export function fatalCloseError(code: number): BatonError {
  switch (code) {
    case 4004:
      return new BatonError('unauthenticated', 'Discord rejected the token.', { hint: TOKEN_HINT });
    case 4013:
    case 4014:
      return new BatonError(
        'config_invalid',
        'Discord does not allow the bot to read the content of messages.',
        { hint: INTENT_HINT },
      );
    case 4010:
    case 4011:
      return new BatonError(
        'config_invalid',
        'The bot is in too many servers for one connection.',
        {
          hint: 'Use a bot of its own for the gateway.',
        },
      );
    default:
      return new BatonError('provider_error', `Discord closed the connection with code ${code}.`, {
        retryable: false,
        hint: 'Update Baton: Discord may have retired the version of its API that Baton uses.',
      });
  }
}

export function isInvalidToken(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if ('code' in error && error.code === 'TokenInvalid') return true;
  if (isResponseError(error) && error.status === 401) return true;
  // discord.js forgets a token that was rejected once.
  return error.message.startsWith('Expected token to be set');
}

export function redact(text: string, token: string): string {
  return token === '' ? text : text.replaceAll(token, '[token]');
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function isResponseError(error: unknown): error is ResponseError {
  return error instanceof Error && 'status' in error && typeof error.status === 'number';
}
