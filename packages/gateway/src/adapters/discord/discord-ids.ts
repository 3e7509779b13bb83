import { BatonError } from '@baton/protocol';

export const PLATFORM = 'discord';

const ID = /^discord:(\d{1,20})$/;
const SNOWFLAKE = /^\d{1,20}$/;

/** The id that the gateway uses for a user, channel or server of Discord. */
export function toGatewayId(snowflake: string): string {
  return `${PLATFORM}:${snowflake}`;
}

/** Discord's own id of a user, channel or server. It becomes part of a URL, so nothing but digits is accepted. */
export function toSnowflake(gatewayId: string): string {
  const snowflake = ID.exec(gatewayId)?.[1];
  if (snowflake !== undefined) return snowflake;
  throw new BatonError('not_found', `"${gatewayId}" is not an id of Discord.`, {
    hint: 'Discord ids look like discord:1234567890.',
  });
}

/** A message id, which has no prefix. */
export function checkMessageId(messageId: string): string {
  if (SNOWFLAKE.test(messageId)) return messageId;
  throw new BatonError('not_found', `"${messageId}" is not a message id of Discord.`);
}

/** Returns the creation time of a snowflake, in milliseconds since 1970. */
export function snowflakeTime(snowflake: string): number {
  return Number(BigInt(snowflake) >> 22n) + 1_420_070_400_000;
}

/** Orders snowflakes by age: they are 64-bit integers. */
export function compareSnowflakes(a: string, b: string): number {
  if (a.length !== b.length) return a.length - b.length;
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
